package facts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// said is what one side says of a header: the properties of each declaration, "size" of "record struct ibv_mr".
type said map[string]map[string]any

// add returns the properties of a declaration, as they were added so far.
func (s said) add(name string) map[string]any {
	if s[name] == nil {
		s[name] = map[string]any{}
	}
	return s[name]
}

// Compare tells every difference between our facts and gcc's view of the same header, looked for from both sides. places
// says that the facts carry names as included, so that lines can be compared too.
func Compare(rel *api.Release, v *View, places bool) []string {
	c := &comparer{rel: rel, view: v, places: places, ours: said{}}
	c.functions()
	c.records()
	c.enums()
	c.macros()
	for _, name := range slices.Sorted(maps.Keys(c.ours)) {
		theirs, ok := v.said[name]
		if !ok {
			c.diff("%s: gcc does not have it", name)
			continue
		}
		for _, property := range slices.Sorted(maps.Keys(c.ours[name])) {
			if value := c.ours[name][property]; value != theirs[property] {
				c.diff("%s: %s is %v, gcc says %v", name, property, value, theirs[property])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.said)) {
		if c.ours[name] == nil && !v.aside[name] {
			c.diff("%s: only gcc has it", name)
		}
	}
	return c.diffs
}

type comparer struct {
	rel    *api.Release
	view   *View
	places bool
	ours   said
	diffs  []string
}

func (c *comparer) diff(format string, args ...any) {
	c.diffs = append(c.diffs, fmt.Sprintf(format, args...))
}

// add returns the properties of a declaration: the place, where facts have it as gcc has.
func (c *comparer) add(name string, pos api.Pos) map[string]any {
	properties := c.ours.add(name)
	if c.places && pos.Line > 0 {
		properties["place"] = fmt.Sprintf("%s:%d", pos.File, pos.Line)
	}
	return properties
}

func (c *comparer) functions() {
	for _, f := range c.rel.Functions {
		if c.ours["function "+f.Name] != nil {
			c.diff("function %s: listed twice", f.Name)
		}
		properties := c.add("function "+f.Name, f.Pos)
		properties["static inline"], properties["prototype"] = f.Kind == api.Inline, prototype(f)
	}
}

// prototype writes a function as gcc -aux-info does, with all white space squeezed.
func prototype(f api.Function) string {
	list := []string{}
	for _, p := range f.Params {
		list = append(list, p.Type)
	}
	if f.Variadic {
		list = append(list, "...")
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return squeeze(f.Ret + " " + f.Name + "(" + strings.Join(list, ", ") + ")")
}

var spaceRE = regexp.MustCompile(`\s*([*(),])\s*`)

func squeeze(s string) string { return spaceRE.ReplaceAllString(s, "$1") }

func (c *comparer) records() {
	for i := range c.rel.Records {
		r := &c.rel.Records[i]
		name := "record " + r.Tag
		theirs := c.view.said[name]
		switch {
		case strings.Contains(r.Tag, "<"):
			c.diff("record %s: has no tag that gcc could know", r.Tag)
		case theirs == nil && r.Incomplete: // gcc leaves out what only parameters point to
		case c.view.Alone && r.Foreign: // declared elsewhere: others hold its fields
			if properties := c.ours.add(name); !r.Incomplete {
				properties["size"] = r.Size
			}
		case r.Incomplete || theirs["incomplete"] == true:
			c.ours.add(name)["incomplete"] = r.Incomplete
		default:
			c.record(r, c.add(name, r.Pos))
		}
	}
}

func (c *comparer) record(r *api.Record, properties map[string]any) {
	size, offset, fieldSize := r.Size, func(i int) int64 { return r.Fields[i].Offset }, func(i int) int64 { return r.Fields[i].Size }
	if l := r.ARM64; l != nil && c.view.Machine == "arm64" {
		if len(l.Offsets) != len(r.Fields) || len(l.Sizes) != len(r.Fields) {
			c.diff("%s: the arm64 layout has %d offsets and %d sizes for %d fields", r.Tag, len(l.Offsets), len(l.Sizes), len(r.Fields))
			return
		}
		size, offset, fieldSize = l.Size, func(i int) int64 { return l.Offsets[i] }, func(i int) int64 { return l.Sizes[i] }
	}
	properties["incomplete"], properties["size"], properties["number of fields"] = false, size, len(r.Fields)
	for i, f := range r.Fields {
		is := field{name: f.Name, ctype: asView(f.Type), offset: offset(i), size: fieldSize(i)}
		if f.BitSize != nil && f.BitOffset != nil {
			is.bits, is.offset = *f.BitSize, 8*is.offset+int64(*f.BitOffset)
		}
		properties[fmt.Sprintf("field %d", i)] = is
	}
}

var madeUpRE = regexp.MustCompile(`(struct|union|enum) [^ ]*<anonymous \d+>`)

// asView writes a type as a View has it: made-up tags without their number, and __aligned_u64, a macro in the
// kernel's headers, as what is left of it on a 64-bit machine.
func asView(ctype string) string {
	ctype = strings.ReplaceAll(madeUpRE.ReplaceAllString(ctype, "$1 <anonymous>"), "__aligned_u64", "__u64")
	if base, ok := strings.CutSuffix(ctype, "[]"); ok {
		ctype = base + "[0]" // an array at the end, of open length
	}
	return ctype
}

func (c *comparer) enums() {
	for _, e := range c.rel.Enums {
		if c.view.Alone && e.Foreign {
			continue
		}
		var list []enumerator
		for _, v := range e.Enumerators {
			list = append(list, enumerator{v.Name, v.Value})
		}
		enum(c.add(enumName(e.Tag, list), e.Pos), e.Signed, list)
	}
}

// macros compares constants by value, and names for other declarations by what they stand for.
func (c *comparer) macros() {
	for _, m := range c.rel.Macros {
		properties := c.add("macro "+m.Name, m.Pos)
		switch v := m.Value.(type) {
		case int64:
			properties["value"] = v
		case uint64:
			properties["value"] = int64(v)
		case string:
			properties["value"] = squeeze(v)
		default:
			c.diff("macro %s: value %v is of type %T", m.Name, v, v)
		}
	}
	for _, a := range c.rel.Aliases {
		c.add("macro "+a.Name, a.Pos)["stands for"] = a.Of
		if !c.view.knows(a) {
			c.diff("alias %s: gcc knows no %s %s", a.Name, a.Kind, a.Of)
		}
	}
}
