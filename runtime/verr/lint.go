package verr

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Lint is a rule that a call broke and that only some providers or kernels have: the device took the call. Those that have the rule
// refuse the call, or do not do what the man page promises.
type Lint struct {
	Violation
	File string // of the program, where the call is; empty when that is not known
	Line int
}

// String returns `FILE:LINE: VERB: SUBJECT VALUE: STATEMENT; FIX [ID]`; "<nil>" of nil. The file is without its folder.
func (l *Lint) String() string {
	if l == nil {
		return "<nil>"
	}
	var b strings.Builder
	if l.File != "" {
		b.WriteString(l.File[strings.LastIndexByte(l.File, '/')+1:] + ":" + strconv.Itoa(l.Line) + ": ")
	}
	if l.Rule != nil && l.Rule.Verb != "" {
		b.WriteString(l.Rule.Verb + ": ")
	}
	b.WriteString(l.Violation.String())
	return b.String()
}

// Format writes String for %v and %s. For %+v it adds who is known to accept and to refuse the call.
func (l *Lint) Format(s fmt.State, verb rune) {
	if s == nil {
		return // fmt passes one
	}
	io.WriteString(s, l.String())
	if verb != 'v' || !s.Flag('+') || l == nil || l.Rule == nil {
		return
	}
	if len(l.Rule.AcceptedBy) > 0 {
		io.WriteString(s, "; accepted by "+strings.Join(l.Rule.AcceptedBy, ", "))
	}
	if len(l.Rule.RefusedBy) > 0 {
		io.WriteString(s, "; refused by "+strings.Join(l.Rule.RefusedBy, ", "))
	}
}
