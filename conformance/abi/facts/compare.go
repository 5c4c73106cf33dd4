package facts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Compare tells every difference between our facts and gcc's view of the same header, looked for from both sides. places
// says that the facts carry names as included, so that lines can be compared too.
func Compare(rel *api.Release, v *View, places bool) []string {
	c := &comparer{rel: rel, view: v, places: places}
	c.functions()
	c.records()
	c.enums()
	c.macros()
	return c.diffs
}

type comparer struct {
	rel    *api.Release
	view   *View
	places bool
	diffs  []string
}

func (c *comparer) diff(format string, args ...any) {
	c.diffs = append(c.diffs, fmt.Sprintf(format, args...))
}

// equal compares one property of something that both have.
func equal[T comparable](c *comparer, what, property string, ours, theirs T) {
	if ours != theirs {
		c.diff("%s: %s is %v, gcc says %v", what, property, ours, theirs)
	}
}

// place compares where something is declared.
func (c *comparer) place(what string, pos api.Pos, theirs string) {
	if c.places && pos.Line > 0 {
		equal(c, what, "place", fmt.Sprintf("%s:%d", pos.File, pos.Line), theirs)
	}
}

// names reports what only one side has.
func names[A, B any](c *comparer, kind string, ours map[string]A, theirs map[string]B) {
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[name]; !ok {
			c.diff("%s %s: gcc does not have it", kind, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if _, ok := ours[name]; !ok {
			c.diff("%s %s: only gcc has it", kind, name)
		}
	}
}

func (c *comparer) functions() {
	ours := map[string]api.Function{}
	for _, f := range c.rel.Functions {
		if _, twice := ours[f.Name]; twice {
			c.diff("function %s: listed twice", f.Name)
		}
		ours[f.Name] = f
	}
	names(c, "function", ours, c.view.Functions)
	for _, f := range c.rel.Functions {
		g, ok := c.view.Functions[f.Name]
		if !ok {
			continue
		}
		what := "function " + f.Name
		equal(c, what, "static inline", f.Kind == api.Inline, g.Inline)
		equal(c, what, "prototype", prototype(f), squeeze(g.Decl))
		c.place(what, f.Pos, g.Place)
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
	ours := map[string]bool{}
	theirs := map[string]bool{}
	for _, r := range c.rel.Records {
		if strings.Contains(r.Tag, "<") {
			c.diff("record %s: has no tag that gcc could know", r.Tag)
			continue
		}
		if _, ok := c.view.Records[r.Tag]; ok {
			theirs[r.Tag] = true
		} else if r.Incomplete {
			continue // gcc leaves out what only parameters point to
		}
		ours[r.Tag] = true
	}
	for tag, r := range c.view.Records {
		if r.Own {
			theirs[tag] = true
		}
	}
	names(c, "record", ours, theirs)
	for i := range c.rel.Records {
		r := &c.rel.Records[i]
		if g, ok := c.view.Records[r.Tag]; ok {
			c.record(r, g)
		}
	}
}

func (c *comparer) record(r *api.Record, g Record) {
	if c.view.Alone && r.Foreign { // declared elsewhere: others hold its fields
		if !r.Incomplete {
			equal(c, r.Tag, "size", r.Size, g.Size)
		}
		return
	}
	equal(c, r.Tag, "incomplete", r.Incomplete, g.Incomplete)
	if r.Incomplete || g.Incomplete {
		return
	}
	size, offset, fieldSize := r.Size, func(i int) int64 { return r.Fields[i].Offset }, func(i int) int64 { return r.Fields[i].Size }
	if l := r.ARM64; l != nil && c.view.Machine == "arm64" {
		if len(l.Offsets) != len(r.Fields) || len(l.Sizes) != len(r.Fields) {
			c.diff("%s: the arm64 layout has %d offsets and %d sizes for %d fields", r.Tag, len(l.Offsets), len(l.Sizes), len(r.Fields))
			return
		}
		size, offset, fieldSize = l.Size, func(i int) int64 { return l.Offsets[i] }, func(i int) int64 { return l.Sizes[i] }
	}
	equal(c, r.Tag, "size", size, g.Size)
	c.place(r.Tag, r.Pos, g.Place)
	equal(c, r.Tag, "number of fields", len(r.Fields), len(g.Fields))
	for i := range min(len(r.Fields), len(g.Fields)) {
		f, h := r.Fields[i], g.Fields[i]
		what := fmt.Sprintf("%s: field %d (%s)", r.Tag, i, h.Name)
		equal(c, what, "name", f.Name, h.Name)
		equal(c, what, "type", asView(f.Type), h.Type)
		equal(c, what, "size", fieldSize(i), h.Size)
		if f.BitSize == nil || f.BitOffset == nil {
			equal(c, what, "width in bits", 0, h.Bits)
			equal(c, what, "offset", offset(i), h.Offset)
			continue
		}
		equal(c, what, "width in bits", *f.BitSize, h.Bits)
		equal(c, what, "offset in bits", int(offset(i))*8+*f.BitOffset, h.Bit)
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

// enums are compared by tag, those without one by their first enumerator.
func (c *comparer) enums() {
	key := func(tag, first string) string {
		if strings.Contains(tag, "<") || tag == "enum " {
			return "enum with " + first
		}
		return tag
	}
	ours, theirs := map[string]api.Enum{}, map[string]Enum{}
	for _, e := range c.rel.Enums {
		if c.view.Alone && e.Foreign {
			continue
		}
		first := ""
		if len(e.Enumerators) > 0 {
			first = e.Enumerators[0].Name
		}
		ours[key(e.Tag, first)] = e
	}
	for _, e := range c.view.Enums {
		first := ""
		if len(e.Values) > 0 {
			first = e.Values[0].Name
		}
		theirs[key(e.Tag, first)] = e
	}
	names(c, "enum", ours, theirs)
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if g, ok := theirs[name]; ok {
			c.enum(name, ours[name], g)
		}
	}
}

func (c *comparer) enum(name string, e api.Enum, g Enum) {
	equal(c, name, "signed", e.Signed, g.Signed)
	c.place(name, e.Pos, g.Place)
	ours, theirs := map[string]int64{}, map[string]int64{}
	for _, v := range e.Enumerators {
		ours[v.Name] = v.Value
	}
	for _, v := range g.Values {
		theirs[v.Name] = v.Value
	}
	names(c, name+": enumerator", ours, theirs)
	for i := range min(len(e.Enumerators), len(g.Values)) {
		equal(c, name, fmt.Sprintf("enumerator %d", i), e.Enumerators[i].Name, g.Values[i].Name)
		equal(c, name+": enumerator "+e.Enumerators[i].Name, "value", e.Enumerators[i].Value, theirs[e.Enumerators[i].Name])
	}
}

// macros compares constants by value, and names for other declarations by what they stand for.
func (c *comparer) macros() {
	ours := map[string]bool{}
	for _, m := range c.rel.Macros {
		ours[m.Name] = true
		g, ok := c.view.Macros[m.Name]
		if !ok {
			continue
		}
		what := "macro " + m.Name
		c.place(what, m.Pos, g.Place)
		switch v := m.Value.(type) {
		case int64:
			equal(c, what, "an integer", true, g.IsInt)
			equal(c, what, "value", v, g.Value)
		case uint64:
			equal(c, what, "an integer", true, g.IsInt)
			equal(c, what, "value", int64(v), g.Value)
		case string:
			equal(c, what, "an integer", false, g.IsInt)
			equal(c, what, "text", squeeze(v), squeeze(g.Text))
		default:
			c.diff("%s: value %v is of type %T", what, v, v)
		}
	}
	for _, a := range c.rel.Aliases {
		ours[a.Name] = true
		if g, ok := c.view.Macros[a.Name]; ok {
			equal(c, "alias "+a.Name, "stands for", a.Of, g.Text)
			c.place("alias "+a.Name, a.Pos, g.Place)
		}
		c.target(a)
	}
	theirs := maps.Clone(c.view.Macros)
	maps.DeleteFunc(theirs, func(_ string, g Macro) bool { return strings.HasPrefix(g.Text, "inline") }) // words of a declaration
	names(c, "macro", ours, theirs)
}

// target looks for what an alias stands for, as the kind that we say it is.
func (c *comparer) target(a api.Alias) {
	ok := false
	switch a.Kind {
	case "struct", "union":
		_, ok = c.view.Records[a.Kind+" "+a.Of]
	case "function":
		_, ok = c.view.Functions[a.Of]
	case "enum":
		ok = slices.ContainsFunc(c.view.Enums, func(e Enum) bool { return e.Tag == "enum "+a.Of })
	case "enumerator":
		ok = slices.ContainsFunc(c.view.Enums, func(e Enum) bool {
			return slices.ContainsFunc(e.Values, func(v Value) bool { return v.Name == a.Of })
		})
	}
	if !ok {
		c.diff("alias %s: gcc knows no %s %s", a.Name, a.Kind, a.Of)
	}
}
