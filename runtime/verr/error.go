package verr

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// ErrQueueFull is the error of a post to a queue that has no place for a further request. It is ordinary flow control: take completions
// from the completion queue, then post the rest.
var ErrQueueFull = errors.New("the queue is full")

// ErrOverrun is the error of a poll of a completion queue that has lost completions, after those that it still had.
var ErrOverrun = errors.New("the completion queue has lost completions")

// ErrDeviceRemoved is the error of a call on a device that was removed or reset.
var ErrDeviceRemoved = errors.New("the device was removed")

// Rule is the part of a rule that errors show. Generated code has one static value for each rule of the spec.
type Rule struct {
	ID        string // VR-ibv_reg_mr-access-0001
	Verb      string // C name of the verb
	Subject   string // parameter or path: "access", "attr.length"
	Statement string // what must be true, without a full stop
	Fix       string // what to do, or empty
	Page      string // manual page, with or without "(3)"
	Section   string // section of the page
	// Unsupported says that the rule asks for an ability of the device: a call that breaks it is errors.ErrUnsupported.
	Unsupported bool
	Capable     bool   // it needs capabilities of the device
	Limit       string // C name of what the value is held against: a capability, or a property of an object; empty without one
	// AcceptedBy and RefusedBy name who is known to accept, and to refuse, a call that breaks the rule: "rxe with linux 6.1".
	AcceptedBy, RefusedBy []string
	Text                  func(uint64) string // writes the value that breaks it; nil for a number in decimal
}

// Violation is one broken rule with the value that breaks it.
type Violation struct {
	Rule  *Rule
	Value string // as the message shows it: "REMOTE_WRITE (0x2)", "100"; empty when there is none to show
	Limit string // the value of the rule's Limit, or empty
	Place string // of one request among many: the rule's Subject with its number, "wr[2].opcode"; or empty
}

// String returns `SUBJECT VALUE: STATEMENT, LIMIT on this device; FIX [ID]`, without the parts that are empty.
func (v Violation) String() string {
	if v.Rule == nil {
		return v.Value
	}
	text := cmp.Or(v.Place, v.Rule.Subject)
	if v.Value != "" {
		text = strings.TrimPrefix(text+" ", " ") + v.Value
	}
	if text != "" {
		text += ": "
	}
	text += v.Rule.Statement + v.limit()
	if v.Rule.Fix != "" {
		text += "; " + v.Rule.Fix
	}
	if v.Rule.ID != "" {
		text += " [" + v.Rule.ID + "]"
	}
	return text
}

// limit returns what the value is held against; its name too, unless the statement ends with it.
func (v Violation) limit() string {
	on := ""
	if v.Rule.Capable {
		on = " on this device"
	}
	switch {
	case v.Limit == "" || v.Rule.Limit == "":
		return ""
	case strings.HasSuffix(v.Rule.Statement, " "+v.Rule.Limit):
		return ", " + v.Limit + on
	}
	return " (" + v.Rule.Limit + " is " + v.Limit + on + ")"
}

// source returns the place that the rule stands on, "ibv_reg_mr(3), DESCRIPTION".
func (v Violation) source() string {
	if v.Rule == nil || v.Rule.Page == "" {
		return ""
	}
	page := v.Rule.Page
	if !strings.HasSuffix(page, ")") {
		page += "(3)"
	}
	if v.Rule.Section != "" {
		page += ", " + v.Rule.Section
	}
	return page
}

// Error is the error of a verb. Its fields are set before it is shared and only read afterwards, so one value may be
// returned many times (the hot path's errors are made once).
type Error struct {
	Verb       string        // C name; empty when no verb was called
	Errno      syscall.Errno // what the call returned; EINVAL when Refused; 0 when there is none
	Msg        string        // a text about this failure, or empty
	Violations []Violation   // rules that the call breaks (Refused), or may have broken
	Hints      []string      // other causes that may apply
	Refused    bool          // the call was not made
	Err        error         // a cause of another kind (the error of a callback, os.ErrClosed), or nil
}

// Error returns the short text, one line; "<nil>" of nil.
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	var b strings.Builder
	sep := ""
	put := func(s string) {
		if s != "" {
			b.WriteString(sep)
			b.WriteString(s)
			sep = ": "
		}
	}
	put(e.Verb)
	put(e.Msg)
	if e.Refused {
		put(join(e.Violations, nil, "; also "))
	} else if e.Errno != 0 && e.Err != ErrQueueFull {
		put(errnoText(e.Errno))
	}
	if e.Err != nil && !(e.Msg != "" && plain(e.Err)) {
		put(e.Err.Error())
	}
	if sep == "" {
		put("failed")
	} else if b.Len() == len(e.Verb) {
		put("failed and gave no errno")
	}
	of := e.Violations
	if e.Refused {
		of = nil
	}
	if maybe := join(of, e.Hints, "; or "); maybe != "" {
		b.WriteString("; may be: ")
		b.WriteString(maybe)
	}
	return b.String()
}

// plain reports whether an error only classifies: their text adds nothing to a message.
func plain(err error) bool {
	return err == errors.ErrUnsupported || err == os.ErrClosed || err == ErrQueueFull || err == ErrOverrun
}

func join(vs []Violation, hints []string, sep string) string {
	parts := make([]string, 0, len(vs)+len(hints))
	for _, v := range vs {
		parts = append(parts, v.String())
	}
	return strings.Join(append(parts, hints...), sep)
}

// Format writes the short text for %v and %s, and quoted for %q. For %+v it adds a line for each rule, with its man
// page and section.
func (e *Error) Format(s fmt.State, verb rune) {
	switch {
	case s == nil: // fmt passes one
	case verb == 'v' && s.Flag('+'):
		io.WriteString(s, e.long())
	case verb == 'q':
		fmt.Fprintf(s, "%q", e.Error())
	case verb == 'v' || verb == 's':
		io.WriteString(s, e.Error())
	default:
		fmt.Fprintf(s, "%%!%c(*verr.Error=%s)", verb, e.Error())
	}
}

func (e *Error) long() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if e == nil {
		return b.String()
	}
	for _, v := range e.Violations {
		if src := v.source(); src != "" {
			fmt.Fprintf(&b, "\n\t%s: see %s", v.Rule.ID, src)
		}
	}
	return b.String()
}

// Unwrap returns the errno and the cause, if there are any.
func (e *Error) Unwrap() []error {
	if e == nil {
		return nil
	}
	var errs []error
	if e.Errno != 0 {
		errs = append(errs, e.Errno)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// Is matches errors.ErrUnsupported with the three errnos by which RDMA says "not supported"; package syscall matches
// only two of them. It also matches the errno, ErrQueueFull and ErrOverrun, so that errors.Is allocates nothing for these.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	if errno, ok := target.(syscall.Errno); ok && errno == e.Errno && errno != 0 ||
		target == e.Err && (target == ErrQueueFull || target == ErrOverrun) {
		return true
	}
	if target != errors.ErrUnsupported {
		return false
	}
	for _, v := range e.Violations {
		if e.Refused && v.Rule != nil && v.Rule.Unsupported {
			return true
		}
	}
	switch e.Errno {
	case syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPROTONOSUPPORT:
		return true
	}
	return false
}
