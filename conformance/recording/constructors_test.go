//go:build linux && cgo

package recording

import (
	"reflect"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/spec"
)

// constructors are the functions that begin the builders, which reflection cannot find by name.
var constructors = []any{
	verbs.NewAHAttr,
	verbs.NewAllocDMAttr,
	verbs.NewMRInitAttr,
	verbs.NewParentDomainAttr,
	verbs.NewQPAttr,
	verbs.NewQPInitAttr,
	verbs.NewSRQAttr,
	verbs.NewSRQInitAttr,
	verbs.NewTDInitAttr,
}

// constructor gives the one that makes a *T.
func constructor(name string) (reflect.Value, bool) {
	for _, f := range constructors {
		if v := reflect.ValueOf(f); v.Type().Out(0).Elem().Name() == name {
			return v, true
		}
	}
	return reflect.Value{}, false
}

// builders gives the builders that methods take, and those that other builders take.
func builders(s *spec.Spec) map[string]bool {
	found := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		found[name] = true
		for _, f := range s.RecordByGo(name).Fields {
			if f.Nested != "" && !found[f.Nested] {
				add(f.Nested)
			}
		}
	}
	for _, p := range s.Pages {
		for _, v := range p.Verbs {
			for _, m := range v.Methods {
				if param := taken(&v, &m); param != nil {
					add(param.Type)
				}
			}
		}
	}
	return found
}

// taken gives the argument of C that a method takes as a builder, or nil.
func taken(v *spec.Verb, m *spec.Method) *spec.Param {
	for i, p := range v.Params {
		if _, fixed := m.Fixed[p.C]; p.Role == spec.RoleInRec && !fixed {
			return &v.Params[i]
		}
	}
	return nil
}

// TestConstructors holds the list against the pages: it has every builder, and nothing else.
func TestConstructors(t *testing.T) {
	s := must(pages())(t)
	wanted := builders(s)
	for _, f := range constructors {
		name := reflect.TypeOf(f).Out(0).Elem().Name()
		if !wanted[name] {
			t.Errorf("New%s makes no builder of the pages", name)
		}
		delete(wanted, name)
	}
	for name := range wanted {
		t.Errorf("%s is a builder of the pages; add verbs.New%s to constructors", name, name)
	}
}
