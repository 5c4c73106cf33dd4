package spec

import (
	"iter"
	"reflect"
)

// section is one kind of named entries of a page.
type section struct {
	key   string   // of the page
	what  string   // an entry, in words
	tag   string   // the word before the C name that it has; empty for verbs
	first string   // a key that every whole entry has
	adds  []string // the keys that an extension may give an entry of the page more of
}

var sections = []section{
	{"flags", "a flag type", "enum", "prefix", []string{"members", "ranges", "names", "docs"}},
	{"enums", "an enum type", "enum", "prefix", []string{"members", "names", "docs", "likely"}},
	{"records", "a record", "struct", "c", []string{"fields", "hide", "switches"}},
	{"unions", "a union", "union", "c", []string{"hide"}},
	{"objects", "an object", "struct", "c", []string{"getters"}},
	{"verbs", "a verb", "", "returns", []string{"methods"}},
}

// list is the list of a page that a section is read into.
func (s *section) list(p *Page) reflect.Value { return fieldOf(reflect.ValueOf(p).Elem(), s.key) }

// fieldOf is the field of a struct that a key is read into.
func fieldOf(v reflect.Value, key string) reflect.Value {
	return v.FieldByIndex(find(v.Type(), func(o *option) bool { return o.key == key }).index)
}

// nameOf is the name of an entry.
func nameOf(v reflect.Value) string {
	return v.FieldByIndex(find(v.Type(), func(o *option) bool { return o.isKey }).index).String()
}

// posOf is the place of an entry.
func posOf(v reflect.Value) Pos { return v.FieldByName("Pos").Interface().(Pos) }

// entriesOf are the entries of a list.
func entriesOf(list reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		for i := range list.Len() {
			if !yield(list.Index(i)) {
				return
			}
		}
	}
}

// indexOf is the index of the entry of a name, or -1.
func indexOf(list reflect.Value, name string) int {
	for i := range list.Len() {
		if nameOf(list.Index(i)) == name {
			return i
		}
	}
	return -1
}

// goType is a Go type that a page makes.
type goType struct {
	*section
	Go, C string
	pos   Pos
}

// types are the Go types of a page.
func (p *Page) types() iter.Seq[goType] {
	return func(yield func(goType) bool) {
		for i := range sections {
			s := &sections[i]
			if s.tag == "" {
				continue
			}
			for x := range entriesOf(s.list(p)) {
				c := fieldOf(x, map[bool]string{true: "enum", false: "c"}[s.tag == "enum"])
				if !yield(goType{s, nameOf(x), c.String(), posOf(x)}) {
					return
				}
			}
		}
	}
}

// cName is the C name of the type with the word before it.
func (t *goType) cName() string { return t.tag + " " + t.C }
