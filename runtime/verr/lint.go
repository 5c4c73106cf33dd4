package verr

import (
	"strings"
	"sync/atomic"
)

// Lint is a call that breaks a rule which some providers or kernels do not have: they accept the call, and others refuse it or
// do not do what the page promises.
type Lint struct {
	Violation
}

// String gives `VERB: SUBJECT VALUE: STATEMENT; FIX [ID]` and who is known to accept and to refuse the call.
func (l *Lint) String() string {
	var b strings.Builder
	if l.Rule != nil && l.Rule.Verb != "" {
		b.WriteString(l.Rule.Verb + ": ")
	}
	b.WriteString(l.Violation.String())
	if l.Rule != nil && len(l.Rule.AcceptedBy) > 0 {
		b.WriteString("; accepted by " + strings.Join(l.Rule.AcceptedBy, ", "))
	}
	if l.Rule != nil && len(l.Rule.RefusedBy) > 0 {
		b.WriteString("; refused by " + strings.Join(l.Rule.RefusedBy, ", "))
	}
	return b.String()
}

// Lints is where generated code reports lints, before the calls that break them. The zero value drops them.
type Lints struct {
	report atomic.Pointer[func(*Lint)]
}

// On has f called with each lint; nil ends that. Calls of f may come from several goroutines at once.
func (l *Lints) On(f func(*Lint)) {
	if f == nil {
		l.report.Store(nil)
		return
	}
	l.report.Store(&f)
}

// Wanted tells whether lints are reported.
func (l *Lints) Wanted() bool { return l.report.Load() != nil }

// Report hands on each of the broken rules.
func (l *Lints) Report(broken []Violation) {
	f := l.report.Load()
	if f == nil {
		return
	}
	for _, v := range broken {
		(*f)(&Lint{v})
	}
}

// Texts writes each broken rule as its message.
func Texts(broken []Violation) []string {
	if len(broken) == 0 {
		return nil
	}
	out := make([]string, len(broken))
	for i, v := range broken {
		out[i] = v.String()
	}
	return out
}
