package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// OutOfScope is a shape of C functions for which pages have no words, and will have none.
type OutOfScope struct {
	Shape string // for docs/new-release.md
	Say   string // why a function of the shape is left out, and what to do
	has   func(*spec.Facts, *api.Function) bool
}

// What pages that bind such a function are told.
const (
	variadic = "it takes any number of arguments, and a call with a variable number of arguments cannot be generated"
	callback = "C would call a function of the program; write a function in C that takes none, and bind that"
)

// ReadsAndChanges is what is said of lists; only a man page tells which they are.
const ReadsAndChanges = "if it reads and changes a list of structs, call it from C, for one struct at a time"

// Scope lists these shapes.
var Scope = []OutOfScope{
	{"a variable number of arguments", variadic,
		func(_ *spec.Facts, f *api.Function) bool { return f.Variadic }},
	{"a callback", callback,
		func(facts *spec.Facts, f *api.Function) bool {
			return slices.ContainsFunc(f.Params, func(p api.Param) bool {
				return facts.TypeOf(p.Type).Kind == spec.CFunc && strings.Contains(p.Type, ")(")
			})
		}},
	{"a table of functions", "its struct is a table of functions; write a function in C that calls them, and bind that",
		func(facts *spec.Facts, f *api.Function) bool {
			return slices.ContainsFunc(append([]api.Param{{Type: f.Ret}}, f.Params...), func(p api.Param) bool { return table(facts, p.Type) })
		}},
	{"an inline function with work of its own",
		"the header has its body, and no library exports it; write it in Go, or export it from a library in C",
		func(_ *spec.Facts, f *api.Function) bool {
			return f.Kind == api.Inline && (f.Dispatch == nil || f.Dispatch.Way == api.WaySpecial || f.Dispatch.Way == api.WayPure)
		}},
	{"a list of structs that a call both reads and changes, as poll does", ReadsAndChanges, nil},
	{"a copy of an object", "it returns an object like the one that it takes, which may be a new one or the same; write returns: argument " +
		"if it is the same", func(facts *spec.Facts, f *api.Function) bool {
		t := facts.TypeOf(f.Ret)
		return t.Depth() == 1 && t.Tag != "" && t.Pointer && takes(f, f.Ret)
	}},
}

// ScopeOf says why a function is out of scope, or nothing.
func ScopeOf(facts *spec.Facts, f *api.Function) string {
	for _, x := range Scope {
		if x.has != nil && x.has(facts, f) {
			return x.Say
		}
	}
	return ""
}

// table reports whether most members of a struct are functions.
func table(facts *spec.Facts, ctype string) bool {
	r, n := facts.TypeOf(ctype).Record(), 0
	if r == nil || r.Foreign {
		return false
	}
	for _, f := range r.Fields {
		if f.Func != nil {
			n++
		}
	}
	return n > len(r.Fields)/2
}
