package fit

import (
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// handleKnows is the property that runtime/devmem knows of a handle.
const handleKnows = "length"

// object compares a handle with the header, and its parts with their verbs.
func (c *checker) object(o *spec.Object) {
	e := entry{o.Go, o.At}
	c.all(e, row{o.Memory == spec.MemoryDevice && o.Hot, "", "memory: device and hot: exclude each other", "keep one of them"})
	label := ""
	for _, g := range o.Getters {
		if g.Label == "" {
			continue
		}
		c.all(entry{name: o.Go + "." + g.Go}.on(g.Pos),
			row{label != "", "", "label: messages already name the object by " + label, "keep one of them"})
		label = g.C
	}
	for _, prop := range slices.Sorted(maps.Keys(o.StateFrom)) {
		if t, ok := c.fieldType(o.C, prop); ok && o.StateFrom[prop] == spec.StateObject {
			c.fits(e.on(o.At("state_from", prop)), "state_from", prop, "struct "+o.C+"."+prop, t, state)
		}
		known := prop == handleKnows && o.Memory == spec.MemoryDevice
		c.all(e.on(o.At("state_from", prop)), row{o.StateFrom[prop] == spec.StateHandle && !known, "",
			"state_from: the Go handle does not know " + prop + ": only that of device memory knows something, its " + handleKnows,
			"write object, marks, made or none"})
	}
	if c.Module.Root == o.Go {
		own := slices.IndexFunc(o.Parents, func(p string) bool { return !strings.Contains(p, ".") })
		if own >= 0 {
			c.all(entry{o.Go, o.At}.on(o.At("parents", o.Parents[own])), row{true, "parents",
				"it is the root of the module, which everything else is made from", "write parents: [], or another root: in module.yaml"})
		}
	}
	c.parents(o)
	c.also(o)
	c.parts(e, o.NeedsVerbs, form.PartsOf(o))
	d, fn := c.VerbByC(o.Destroy), c.facts.Func(o.Destroy)
	if d == nil || fn == nil || len(fn.Params) == 0 {
		return
	}
	p := spec.Param{}
	if len(d.Params) == 1 {
		p = d.Params[0]
	}
	t, handle := c.facts.TypeOf(fn.Params[0].Type), orZero(c.ObjectByGo(p.Type))
	// A handle that does not fit its own C type is reported there.
	c.first(e,
		row{len(d.Params) != 1 || p.Role != role.Handle && t.Tag != o.C || handle.Go != o.Go && handle.C == t.Tag, "destroy",
			o.Destroy + " does not take one " + o.Go + " alone", ""},
		row{!ends(d), "destroy", o.Destroy + " returns " + d.Returns + endsWords, ""})
}

// also compares an extended struct with the one that it begins with: a pointer to it is passed where a pointer to that is expected.
func (c *checker) also(o *spec.Object) {
	base := c.facts.Record("struct " + o.C)
	for _, tag := range o.Also {
		x := c.facts.Record("struct " + tag)
		if base == nil || x == nil || len(x.Fields) > 0 && x.Fields[0].Type == base.Tag {
			continue
		}
		for i, f := range base.Fields {
			if i < len(x.Fields) && x.Fields[i].Name == f.Name && x.Fields[i].Type == f.Type && x.Fields[i].Offset == f.Offset {
				continue
			}
			c.all(entry{o.Go, o.At}.on(o.At("also", tag)), row{true, "also",
				"struct " + tag + " does not begin with the fields of struct " + o.C + ": " + f.Name + " differs", "remove it from also:"})
			break
		}
	}
}

// parents refuses an object that is made from itself, at once or by way of others.
func (c *checker) parents(o *spec.Object) {
	for _, parent := range o.Parents {
		above, problem := map[string]bool{}, "it is its own parent"
		if c.above(parent, above); parent != o.Go {
			problem += " by way of " + parent
		}
		c.all(entry{o.Go, o.At}.on(o.At("parents", parent)), row{above[o.Go], "parents", problem, ""})
	}
}

// above adds an object and all that it is made from.
func (c *checker) above(name string, to map[string]bool) {
	if to[name] || strings.Contains(name, ".") { // of another module, whose names are others
		return
	}
	to[name] = true
	for _, parent := range orZero(c.ObjectByGo(name)).Parents {
		c.above(parent, to)
	}
}
