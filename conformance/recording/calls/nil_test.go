//go:build linux && cgo

package calls

import (
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/recording/exported"
)

// nilCall is a method with a receiver and arguments that are nil or zero.
type nilCall struct {
	method
	receiver string // "nil", "zero", a key of live, or "", for a function
	args     string // "nil" or "zero": what pointers, slices and functions among the arguments are
}

func (c nilCall) String() string {
	text := c.name + " with " + c.args + " arguments"
	if c.receiver != "" {
		text += " of a " + c.receiver + " receiver"
	}
	return text
}

// nilCalls are the calls of all methods. One that a type has by value is not called through a nil pointer: Go panics before it runs.
func nilCalls() (all []nilCall) {
	for _, m := range methods() {
		receivers := []string{"nil", "zero"}
		switch {
		case m.receiver == nil:
			receivers = []string{""}
		case m.receiver.Kind() != reflect.Pointer:
			receivers = []string{"zero"}
		}
		for _, name := range slices.Sorted(maps.Keys(live)) {
			if live[name].of == m.receiver {
				receivers = append(receivers, name)
			}
		}
		for _, r := range receivers {
			all = append(all, nilCall{m, r, "nil"})
			if m.mayBeNil() {
				all = append(all, nilCall{m, r, "zero"})
			}
		}
	}
	return all
}

// mayBeNil reports whether an argument behind the receiver may be nil.
func (m method) mayBeNil() bool {
	t := m.fn.Type()
	for i := range t.NumIn() {
		switch t.In(i).Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Func, reflect.Interface:
			if i > 0 || m.receiver == nil {
				return true
			}
		}
	}
	return false
}

// values are the arguments of a call. Live handles are those of p.
func (c nilCall) values(p *pool) (args []reflect.Value) {
	t := c.fn.Type()
	for i := range t.NumIn() {
		zero := c.args == "zero"
		if i == 0 && c.method.receiver != nil {
			zero = c.receiver == "zero"
			if h, ok := live[c.receiver]; ok {
				args = append(args, h.in(p))
				continue
			}
		}
		if zero {
			args = append(args, zeroOf(t.In(i)))
		} else {
			args = append(args, reflect.Zero(t.In(i)))
		}
	}
	return args
}

// zeroOf is a zero value that is not nil, as far as there is one: a pointer to one, a list of one, a function that returns zero values.
func zeroOf(t reflect.Type) reflect.Value {
	switch {
	case t == reflect.TypeFor[context.Context]():
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return reflect.ValueOf(&ctx).Elem()
	case t.Kind() == reflect.Pointer:
		return reflect.New(t.Elem())
	case t.Kind() == reflect.Slice:
		return reflect.Append(reflect.Zero(t), zeroOf(t.Elem()))
	case t.Kind() == reflect.Func:
		return reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				out = append(out, reflect.Zero(t.Out(i)))
			}
			return out
		})
	}
	return reflect.Zero(t)
}

// callNil makes the calls from a number on, and reports each.
func callNil() {
	from, _ := strconv.Atoi(os.Getenv(envFrom))
	for i, c := range nilCalls() {
		if i < from {
			continue
		}
		report(event{Number: i})
		p, closeLive := c.handles()
		args := c.values(p)
		e := do(c.fn, args)
		if err := closeLive(append(e.results, reflect.ValueOf(opened(c.method, args)))); err != nil {
			e = end{kind: faulted, text: fmt.Sprintf("what it left open: %v", err)}
		}
		report(event{Number: i, End: e.kind, Text: e.text})
	}
}

// TestNil calls every method of nil and zero values, and of live handles of rdmacm, and every function, with nil and zero arguments.
func TestNil(t *testing.T) {
	all, documented, ends := nilCalls(), readDocs(t), map[string]int{}
	judge := func(c nilCall, e event) {
		ends[e.End]++
		if wrong := c.wrong(e, documented); wrong != "" {
			t.Errorf("%v: %s", c, wrong)
		}
	}
	for from := 0; from < len(all); {
		last := event{Number: from - 1}
		said, err := child(t, "nil", []string{fmt.Sprintf("%s=%d", envFrom, from)}, func(e event) {
			if last = e; e.End != "" {
				judge(all[e.Number], e)
			}
		})
		if err == nil && last.Number == len(all)-1 {
			break
		}
		from = max(last.Number, from)
		judge(all[from], event{End: died, Text: fmt.Sprintf("%v\n%s", err, said[:min(len(said), 800)])})
		from++
	}
	t.Logf("%d calls of %d methods of %d types and %d functions: %v", len(all), len(methods())-len(exported.Funcs), len(exported.Types),
		len(exported.Funcs), ends)
}

// wrong says what is wrong with the end of a call, if anything is.
func (c nilCall) wrong(e event, documented docs) string {
	switch e.End {
	case died, faulted:
		return e.Text
	case panicked:
		if !documented.saysPanic(c.name) {
			return "panic, of which its comment says nothing: " + e.Text
		}
	case returned:
		if c.judgedReceiver() && noError[c.name] == "" {
			return "no error"
		}
	case failed:
		if c.judgedReceiver() && !c.explained(e.Text) {
			return "the error does not say what is nil: " + e.Text
		}
	}
	return ""
}

// noError are methods of nil or zero receivers that return no error, by the reason.
var noError = map[string]string{
	"verbs.Lib.IsQPTSupported":      "verbs.h has all of it",
	"verbs.Lib.FlowLabelToUDPSport": "verbs.h has all of it",
	"verbs.WCEx.Err":                "a zero value has succeeded",
	"verr.LoadError.Unwrap":         "it has no cause",
}

// judgedReceiver reports whether the method must return an error: it returns errors, and its receiver is no value.
func (c nilCall) judgedReceiver() bool {
	t := c.fn.Type()
	n := t.NumOut()
	return c.method.receiver != nil && c.method.receiver.Kind() == reflect.Pointer && n > 0 && t.Out(n-1) == reflect.TypeFor[error]() &&
		(c.receiver == "nil" || c.receiver == "zero" && strings.HasSuffix(c.name, ".Close"))
}

// explained reports whether the error of a nil receiver says that it is nil, or that of a zero value that nothing made it. A nil Lib, and
// what a handle contains, are as zero values.
func (c nilCall) explained(text string) bool {
	handle := !strings.Contains(c.name, ".Lib.") && !strings.Contains(c.name, ".Buf.") && strings.HasPrefix(exported.Packages[c.pkg()], "gen")
	return strings.Contains(text, " is nil") || strings.Contains(text, "was never opened") && !(handle && c.receiver == "nil")
}

// pkg is the package of a method.
func (m method) pkg() string { return m.name[:strings.Index(m.name, ".")] }
