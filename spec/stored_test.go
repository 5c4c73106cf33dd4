package spec

import (
	"encoding/binary"
	"os"
	"reflect"
	"strings"
	"testing"
)

// store returns what stored.bin must have.
func store(t testing.TB) []byte {
	from, err := storedFrom()
	if err != nil {
		t.Fatal(err)
	}
	w := storedForm().NewWriter()
	var bodies []byte
	sized := func(b []byte) { bodies = append(binary.AppendUvarint(bodies, uint64(len(b))), b...) }
	for _, module := range Modules() {
		s, err := EmbeddedModule(module)
		if err != nil {
			t.Fatal(err)
		}
		sized([]byte(module))
		sized(w.Write(storedSpec{s.Module, s.Pages, s.Pending, s.every, s.expanded}))
	}
	return append(append(from[:], w.Table()...), bodies...)
}

// TestStoredPages holds the stored pages to the YAML: what is read of them is what the pages say.
func TestStoredPages(t *testing.T) {
	want := store(t)
	if *update {
		if err := os.WriteFile("stored.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(want) != storedPages {
		t.Fatal("stored.bin is out of date: run go generate ./spec")
	}
	for _, module := range Modules() {
		if _, parts := storedParts(); parts[module] == "" {
			t.Errorf("%s is not stored", module)
		}
		want, err := EmbeddedModule(module)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Stored(module)
		if err != nil {
			t.Fatal(err)
		}
		want.layers, got.stored = nil, nil // what only mistakes in pages need
		withoutMarks(reflect.ValueOf(want), map[uintptr]bool{})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: what is stored differs from what the pages say", module)
		}
	}
	if s, err := Stored(""); err != nil || s.Module.Name != DefaultModule {
		t.Errorf("the default module: %v", err)
	}
	if _, err := Stored("nothing"); err == nil || !strings.Contains(err.Error(), "no module of this name") {
		t.Errorf("a module that there is not: %v", err)
	}
}

// withoutMarks removes the places of keys from all that a value leads to.
func withoutMarks(v reflect.Value, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		withoutMarks(v.Elem(), seen)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[marks]() {
			*(*marks)(v.Addr().UnsafePointer()) = marks{}
			return
		}
		for i := range v.NumField() {
			withoutMarks(v.Field(i), seen)
		}
	case reflect.Slice:
		for i := range v.Len() {
			withoutMarks(v.Index(i), seen)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			withoutMarks(it.Value(), seen)
		}
	}
}

// BenchmarkStored reads all of the default module.
func BenchmarkStored(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Stored(""); err != nil {
			b.Fatal(err)
		}
	}
}
