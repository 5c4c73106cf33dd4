//go:build linux && cgo

package verbs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Rules that are kept by the type have no validator: a method refuses a handle, a builder or a result that is nil by itself.

// nilHandles are nil, each of its type.
var nilHandles = []any{(*verbs.AH)(nil), (*verbs.Buf)(nil), (*verbs.CompChannel)(nil), (*verbs.CompCntr)(nil), (*verbs.Counters)(nil),
	(*verbs.CQ)(nil), (*verbs.DM)(nil), (*verbs.DMAH)(nil), (*verbs.Device)(nil), (*verbs.Flow)(nil), (*verbs.FlowAction)(nil),
	(*verbs.MR)(nil), (*verbs.MW)(nil), (*verbs.PD)(nil), (*verbs.QP)(nil), (*verbs.RWQIndTable)(nil), (*verbs.SRQ)(nil),
	(*verbs.TD)(nil), (*verbs.WQ)(nil), (*verbs.XRCD)(nil)}

// TestNilHandle calls every method of a nil handle that returns an error, with arguments that are zero: the answer is an error.
func TestNilHandle(t *testing.T) {
	known := map[string]bool{}
	for _, h := range nilHandles {
		known[reflect.TypeOf(h).Elem().Name()] = true
		if n := eachMethod(reflect.ValueOf(h), func(name string, m reflect.Value) { refused(t, name, m) }); n == 0 {
			t.Errorf("%T has no methods", h)
		}
	}
	for _, name := range handles(t) {
		if !known[name] {
			t.Errorf("%s is a handle, and is not tested", name)
		}
	}
}

// mayBeNil are the methods of open handles that take nil arguments, by the reason.
var mayBeNil = map[string]string{
	"Device.CreateCQ": "a queue needs no channel",
}

// TestNilArgument calls the methods of open handles that take handles and builders with nil ones: the answer is an error.
func TestNilArgument(t *testing.T) {
	_, dev := verbstest.Open(t, softverbs.LikeMLX5())
	a, _ := verbstest.Pair(t, dev)
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cq.Close(); pd.Close() })
	calls := 0
	for _, h := range []any{dev, pd, a.QP, cq} {
		eachMethod(reflect.ValueOf(h), func(name string, m reflect.Value) {
			for i := range m.Type().NumIn() {
				in := m.Type().In(i)
				if in.Kind() == reflect.Pointer && in.Elem().Kind() == reflect.Struct && mayBeNil[name] == "" {
					calls++
					refused(t, name, m)
					return
				}
			}
		})
	}
	if calls < 20 {
		t.Errorf("only %d methods", calls)
	}
}

// eachMethod calls f with each method of a handle that returns an error.
func eachMethod(h reflect.Value, f func(name string, m reflect.Value)) (n int) {
	of := h.Type().Elem().Name()
	for i := range h.NumMethod() {
		m := h.Method(i)
		if out := m.Type().NumOut(); out > 0 && m.Type().Out(out-1) == reflect.TypeFor[error]() {
			n++
			f(of+"."+h.Type().Method(i).Name, m)
		}
	}
	return n
}

// refused calls a method with arguments that are zero.
func refused(t *testing.T, name string, m reflect.Value) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", name, p)
		}
	}()
	var args []reflect.Value
	for i := range m.Type().NumIn() {
		if m.Type().IsVariadic() && i == m.Type().NumIn()-1 {
			break
		}
		args = append(args, reflect.Zero(m.Type().In(i)))
	}
	out := m.Call(args)
	if out[len(out)-1].IsNil() {
		t.Errorf("%s: no error", name)
	}
}

// handles are the types of this package that have a method Close.
func handles(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Close" {
				if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok && !strings.HasSuffix(name, "_test.go") {
					names = append(names, star.X.(*ast.Ident).Name)
				}
			}
		}
	}
	return names
}
