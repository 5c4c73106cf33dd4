package main

import (
	"fmt"
	"slices"
	"sync"

	"github.com/verbsgen/verbsgen/spec/api"
)

// contradictions lists what a header says otherwise than another, or not at all. What it says more is none: a new
// declaration, a field in padding, or fields at the end of a record that grew before. It is written without a look at the
// check of the command.
func contradictions(was, is *api.Release) []string {
	c := &contradiction{grown: grownRecords(), is: is}
	c.functions(was)
	c.records(was)
	c.constants(was)
	return c.list
}

type contradiction struct {
	is    *api.Release
	grown map[string]bool
	list  []string
}

func (c *contradiction) say(format string, args ...any) {
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// grownRecords are those that may grow: they had several sizes in the known releases, or have a mask of what is valid.
var grownRecords = sync.OnceValue(func() map[string]bool {
	sizes, grown := map[string]int64{}, map[string]bool{}
	for _, name := range api.Releases() {
		rel, err := api.Load(name)
		if err != nil {
			panic(err) // of a test
		}
		for _, r := range rel.Records {
			if old, ok := sizes[r.Tag]; ok && old != r.Size {
				grown[r.Tag] = true
			}
			sizes[r.Tag] = r.Size
			if slices.ContainsFunc(r.Fields, func(f api.Field) bool { return f.Name == "comp_mask" }) {
				grown[r.Tag] = true
			}
		}
	}
	return grown
})

func (c *contradiction) functions(was *api.Release) {
	for _, f := range was.Functions {
		i := slices.IndexFunc(c.is.Functions, func(g api.Function) bool { return g.Name == f.Name })
		if i < 0 {
			c.say("no function %s", f.Name)
			continue
		}
		g := c.is.Functions[i]
		if a, b := signatureText(f), signatureText(g); a != b {
			c.say("%s was %s and is %s", f.Name, a, b)
		}
		if a, b := op(f), op(g); a != b && a != "" && b != "" {
			c.say("%s called %s and calls %s", f.Name, a, b)
		}
	}
}

// signatureText is what callers of a function depend on. How an inline one reaches the provider is read off the header,
// whatever it is, but for the op that it calls.
func signatureText(f api.Function) string {
	kind := api.Exported
	if f.Kind == api.Inline {
		kind = api.Inline
	}
	s := kind + " " + f.Ret + " " + paramTypes(f.Params)
	if f.Variadic {
		s += " ..."
	}
	return s
}

// op is what an inline function calls of the provider; empty when it does more or less than that.
func op(f api.Function) string {
	if f.Dispatch == nil {
		return ""
	}
	return f.Dispatch.Op
}

func paramTypes(params []api.Param) string {
	s := "("
	for _, p := range params {
		s += p.Type + ","
	}
	return s + ")"
}

func (c *contradiction) records(was *api.Release) {
	for _, r := range was.Records {
		i := slices.IndexFunc(c.is.Records, func(q api.Record) bool { return q.Tag == r.Tag })
		if i < 0 || c.is.Records[i].Incomplete && !r.Incomplete {
			c.say("no %s", r.Tag)
			continue
		}
		q := c.is.Records[i]
		if r.Incomplete {
			continue
		}
		if q.Size != r.Size && (!c.grown[r.Tag] || q.Size < r.Size) || q.Align != r.Align {
			c.say("%s had size %d, alignment %d and has %d, %d", r.Tag, r.Size, r.Align, q.Size, q.Align)
		}
		for _, f := range r.Fields {
			if f.Name == "" {
				continue
			}
			j := slices.IndexFunc(q.Fields, func(g api.Field) bool { return g.Name == f.Name })
			if j < 0 {
				c.say("no %s.%s", r.Tag, f.Name)
			} else if a, b := fieldText(f), fieldText(q.Fields[j]); a != b {
				c.say("%s.%s was %s and is %s", r.Tag, f.Name, a, b)
			}
		}
	}
}

func fieldText(f api.Field) string {
	s := fmt.Sprint(f.Type, " at ", f.Offset, " of ", f.Size)
	if f.BitSize != nil {
		s += fmt.Sprint(" bits ", *f.BitOffset, " ", *f.BitSize)
	}
	if f.Func != nil {
		s += " " + f.Func.Ret + paramTypes(f.Func.Params)
	}
	return s
}

func (c *contradiction) constants(was *api.Release) {
	before, after := constantsOf(was), constantsOf(c.is)
	for name, a := range before {
		if b, ok := after[name]; !ok {
			c.say("no %s", name)
		} else if a != b {
			c.say("%s was %s and is %s", name, a, b)
		}
	}
	slices.Sort(c.list)
}

// constantsOf maps the names of enumerators, macros and second names to what they stand for.
func constantsOf(rel *api.Release) map[string]string {
	m := map[string]string{}
	for _, e := range rel.Enums {
		for _, x := range e.Enumerators {
			m[x.Name] = fmt.Sprint(x.Value)
		}
	}
	for _, x := range rel.Macros {
		m[x.Name] = fmt.Sprint(x.Value)
	}
	for _, a := range rel.Aliases {
		m[a.Name] = a.Kind + " " + a.Of
	}
	return m
}
