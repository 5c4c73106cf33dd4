//go:build linux && cgo

package recording

import (
	"os"
	"reflect"
	"testing"
)

// constructor gives the one that makes a *T.
func constructor(name string) (reflect.Value, bool) {
	for _, f := range constructors {
		if v := reflect.ValueOf(f); v.Type().Out(0).Elem().Name() == name {
			return v, true
		}
	}
	return reflect.Value{}, false
}

// TestConstructors holds the list of constructors against the pages.
func TestConstructors(t *testing.T) {
	s := must(pages())(t)
	have := string(must(os.ReadFile("registry_test.go"))(t))
	if have != Registry(s) {
		t.Errorf("registry_test.go is not of these pages; run go generate ./conformance/recording")
	}
	for _, name := range Builders(s) {
		if _, ok := constructor(name); !ok {
			t.Errorf("no constructor makes a %s", name)
		}
	}
}
