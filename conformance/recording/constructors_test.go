//go:build linux && cgo

package recording

import (
	"os"
	"reflect"
	"testing"
)

// constructor returns the function that makes a *T; of a plain struct it is new(T).
func constructor(name string) (reflect.Value, bool) {
	for _, x := range attributes {
		v := reflect.ValueOf(x)
		switch {
		case v.Kind() == reflect.Func && v.Type().Out(0).Elem().Name() == name:
			return v, true
		case v.Kind() == reflect.Struct && v.Type().Name() == name:
			begin := reflect.FuncOf(nil, []reflect.Type{reflect.PointerTo(v.Type())}, false)
			return reflect.MakeFunc(begin, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.New(v.Type())} }), true
		}
	}
	return reflect.Value{}, false
}

// TestAttributes holds the list of attributes against the pages.
func TestAttributes(t *testing.T) {
	s := must(pages())(t)
	have := string(must(os.ReadFile("registry_test.go"))(t))
	if have != Registry(s) {
		t.Errorf("registry_test.go is not of these pages; run go generate ./conformance/recording")
	}
	for _, name := range Attributes(s) {
		if _, ok := constructor(name); !ok {
			t.Errorf("no constructor makes a %s", name)
		}
	}
}
