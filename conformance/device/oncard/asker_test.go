//go:build linux && cgo

package oncard

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// m is a mapping of arguments, as rulecall has it.
type m = map[string]any

// asker calls the functions of a library in C, without the bindings and so without the rules, and notes the answers in order.
type asker struct {
	t       testing.TB
	u       *rulecall.Context
	names   []string
	answers map[string]string
}

func newAsker(t testing.TB, lib rulecall.Symbols, device string) *asker {
	t.Helper()
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t).On(runtime.GOARCH))
	u := must(rulecall.Open(lib, device, must(spec.Embedded(""))(t), facts))(t)
	t.Cleanup(u.Close)
	return &asker{t: t, u: u, answers: map[string]string{}}
}

// note keeps an answer.
func (a *asker) note(question, answer string) {
	if _, twice := a.answers[question]; twice {
		a.t.Errorf("the question %q was asked before", question)
	}
	a.names = append(a.names, question)
	a.answers[question] = answer
}

// call makes a call; what it answers is the name of errno, or empty.
func (a *asker) call(verb string, args m) (made uintptr, refused string) {
	made, errno, err := a.u.Call(verb, args)
	switch {
	case err != nil:
		return 0, err.Error()
	case errno != 0 && a.u.Silent():
		return 0, "fails without errno"
	case errno != 0:
		return 0, unix.ErrnoName(errno)
	}
	return made, ""
}

// ask notes whether a call succeeds.
func (a *asker) ask(question, verb string, args m) (made uintptr) {
	made, refused := a.call(verb, args)
	if refused != "" {
		a.note(question, refused)
		return made
	}
	a.note(question, "ok")
	return made
}

// end ends an object that a question made. Nothing is asked.
func (a *asker) end(verb, param string, object uintptr) {
	a.t.Helper()
	if object == 0 {
		return
	}
	if _, refused := a.call(verb, m{param: object}); refused != "" {
		a.t.Errorf("%s: %s", verb, refused)
	}
}

// askAndEnd notes whether a call succeeds, and ends what it made.
func (a *asker) askAndEnd(question, verb string, args m, end, param string) {
	a.t.Helper()
	a.end(end, param, a.ask(question, verb, args))
}

// record makes a struct for a call that writes into it.
func (a *asker) record(tag string, values m) uintptr {
	a.t.Helper()
	return must(a.u.Record(tag, values))(a.t)
}

// fields reads numbers of a struct.
func (a *asker) fields(at uintptr, tag string, names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprint(a.u.Read(at, tag, name)))
	}
	return strings.Join(all, " ")
}
