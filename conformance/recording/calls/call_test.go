//go:build linux && cgo

package calls

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/conformance/recording/exported"
)

// method is a method of a type, or a function.
type method struct {
	name     string        // "verbs.QP.Modify"
	receiver reflect.Type  // of a method: the type, or a pointer to it
	fn       reflect.Value // with the receiver as its first argument
}

// methods are all that the packages export, by name. Those that a type has by value are among them once, with such a receiver.
func methods() (all []method) {
	for _, t := range exported.Types {
		p := reflect.PointerTo(t)
		for i := range p.NumMethod() {
			m := p.Method(i)
			if v, ok := t.MethodByName(m.Name); ok {
				m = v
			}
			all = append(all, method{typeName(t) + "." + m.Name, m.Type.In(0), m.Func})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exported.Funcs)) {
		all = append(all, method{name: name, fn: reflect.ValueOf(exported.Funcs[name])})
	}
	return all
}

// typeName is the name of a type without the folders of its package.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if name != t.Name() {
		name += "[" + path.Base(strings.TrimSuffix(t.Name()[len(name)+1:], "]")) + "]"
	}
	return path.Base(t.PkgPath()) + "." + name
}

// Kinds of ends of calls.
const (
	returned = "returned"
	failed   = "error"
	panicked = "panic"
	faulted  = "runtime panic" // of a nil pointer, an index, a conversion
	died     = "signal"
)

// end is how a call ended.
type end struct {
	kind    string
	text    string
	err     error
	results []reflect.Value
}

// do makes a call. Results that are iterators are run.
func do(fn reflect.Value, args []reflect.Value) (e end) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			e = end{kind: faulted, text: p.Error()}
		default:
			e = end{kind: panicked, text: fmt.Sprint(p)}
		}
	}()
	e.kind = returned
	if fn.Type().IsVariadic() && len(args) == fn.Type().NumIn() {
		e.results = fn.CallSlice(args)
	} else {
		e.results = fn.Call(args)
	}
	for _, r := range e.results {
		if r.Kind() == reflect.Func && !r.IsNil() && (r.Type().CanSeq() || r.Type().CanSeq2()) {
			iterate(r)
		}
	}
	if n := len(e.results); n > 0 && e.results[n-1].Type() == reflect.TypeFor[error]() {
		if err, ok := e.results[n-1].Interface().(error); ok {
			e.kind, e.err, e.text = failed, err, err.Error()
		}
	}
	return e
}

// iterate takes what an iterator yields.
func iterate(seq reflect.Value) {
	if seq.Type().CanSeq() {
		for range seq.Seq() {
		}
		return
	}
	for range seq.Seq2() {
	}
}
