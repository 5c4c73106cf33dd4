package verr

import (
	"strings"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/runtime/internal/callback"
)

// Lint is a rule that a call breaks and that only some providers or kernels have: others accept the call. Those that
// have the rule refuse the call, or do not do what the man page promises.
type Lint struct {
	Violation
}

// String returns `VERB: SUBJECT VALUE: STATEMENT; FIX [ID]`, followed by who is known to accept and to refuse the call;
// "<nil>" of nil.
func (l *Lint) String() string {
	if l == nil {
		return "<nil>"
	}
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

// Lints reports lints to a program before the calls that break them. The zero value, and nil, report nothing.
type Lints struct {
	report atomic.Pointer[func(*Lint)]
}

// On makes f the function that is called with each lint; nil ends this. f may be called from several goroutines at
// once.
func (l *Lints) On(f func(*Lint)) {
	if l == nil {
		return
	}
	if f == nil {
		l.report.Store(nil)
		return
	}
	l.report.Store(&f)
}

// Wanted reports whether a function is set.
func (l *Lints) Wanted() bool { return l != nil && l.report.Load() != nil }

// Report calls the function with each of the broken rules.
func (l *Lints) Report(broken []Violation) {
	if !l.Wanted() {
		return
	}
	f := l.report.Load()
	if f == nil {
		return
	}
	for _, v := range broken {
		callback.Run(func() { (*f)(&Lint{v}) })
	}
}

// Texts returns the message of each broken rule.
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
