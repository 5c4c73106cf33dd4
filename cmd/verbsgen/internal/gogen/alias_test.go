package gogen

import (
	"reflect"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/templates"
)

// TestAliasMethods compares the methods that comments of aliases name with those of the types.
func TestAliasMethods(t *testing.T) {
	methods := func(of reflect.Type) (names []string) {
		for i := range of.NumMethod() {
			names = append(names, of.Method(i).Name)
		}
		return names
	}
	for name, of := range map[string]reflect.Type{"WC": reflect.TypeFor[*dpath.WC](), "SendWR": reflect.TypeFor[*dpath.SendWR](),
		"RecvWR": reflect.TypeFor[*dpath.RecvWR](), "OpsWR": reflect.TypeFor[*dpath.OpsWR](), "SGE": reflect.TypeFor[*dpath.SGE]()} {
		if want := strings.Join(methods(of), ", "); aliasMethods[name] != want {
			t.Errorf("%s: %q, want %q", name, aliasMethods[name], want)
		}
	}
	for file, of := range map[string]reflect.Type{"verbs/batch.go": reflect.TypeFor[*dpath.SendBatch](),
		"verbs/opsbatch.go": reflect.TypeFor[*dpath.OpsBatch]()} {
		text, err := templates.Verbs.ReadFile(file)
		all := methods(of)
		want := "Its methods are " + strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1] + ": go doc"
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
}
