package fit

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// lazy compares what a reader reads with the members of its struct.
func (c *checker) lazy(r *spec.Record) {
	oks := 0
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.OK != "" {
			oks++
		}
		name, _, _ := strings.Cut(f.C, ".")
		if m := c.facts.Record("struct " + r.C).Field(name); m != nil {
			c.lazyField(r, f, m)
		}
	}
	c.all(entry{r.Go, r.At},
		row{c.FlagByGo(r.Asks) == nil, "asks", "no flag type " + r.Asks + " in any page, of the fields that a reader asks for",
			"name one under asks:"},
		row{oks > 1, "", "several fields have ok:", "keep one of them"})
}

// lazyField compares one field with the member that it is read from.
func (c *checker) lazyField(r *spec.Record, f *spec.RecordField, m *api.Field) {
	e, member, of, ctype := entry{r.Go + "." + f.Go, f.At}, "struct "+r.C+"."+f.C, "", m.Type
	if _, name, filled := strings.Cut(f.C, "."); filled {
		of, ctype = name, orZero(c.filled(r, m, name)).Type
	} else if m.Func != nil {
		ctype = m.Func.Ret
	}
	t := c.facts.TypeOf(ctype)
	if c.first(e,
		row{of != "" && ctype == "", "",
			"struct " + r.C + "." + m.Name + " is no function that takes the object and fills a struct with a member " + of, "correct the name"},
		row{of == "" && m.Func != nil && !c.takesObject(r, m.Func, 1), "", member + " is a function that does not take the object alone",
			"hide it"},
		row{t.Kind != spec.CInt || t.Pointer || t.Array, "", member + " has a value of type " + ctype + ", and only integers and enums are read",
			"hide it"}) {
		return
	}
	for _, k := range []struct {
		key, value string
		want       shape
	}{{"swap_if", f.SwapIf, swapped}, {"time", f.Time, length}, {"type", f.Type, c.enumShape(f.Type, "most")}} {
		if k.value != "" {
			c.fits(e, k.key, k.value, "the value of "+member, t, k.want)
		}
	}
}

// takesObject reports whether a function in the object of a reader takes so many arguments, of which the object is the first.
func (c *checker) takesObject(r *spec.Record, fn *api.FnType, params int) bool {
	return len(fn.Params) == params && c.facts.TypeOf(fn.Params[0].Type).Tag == r.C
}

// filled is a member of the struct that a function fills, which takes the object and a pointer to it; nil if it is no such function.
func (c *checker) filled(r *spec.Record, m *api.Field, member string) *api.Field {
	if m.Func == nil || m.Func.Ret != "void" || !c.takesObject(r, m.Func, 2) {
		return nil
	}
	return c.facts.Record("struct " + c.facts.TypeOf(m.Func.Params[1].Type).Tag).Field(member)
}
