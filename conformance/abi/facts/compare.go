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
	ours, theirs := v.alike(rel.On(v.Machine))
	is, says := api.Properties(ours), api.Properties(theirs)
	at, from := api.Positions(ours), api.Positions(theirs)
	var diffs []string
	diff := func(format string, args ...any) { diffs = append(diffs, fmt.Sprintf(format, args...)) }
	for _, name := range sorted(is, says) {
		switch {
		case says[name] == nil:
			diff("%s: gcc does not have it", name)
			continue
		case is[name] == nil:
			diff("%s: only gcc has it", name)
			continue
		case places && at[name].Line > 0 && from[name].Line > 0 && at[name].Short() != from[name].Short():
			diff("%s: place is %s, gcc says %s", name, at[name].Short(), from[name].Short())
		}
		for _, p := range sorted(is[name], says[name]) {
			if value := is[name][p]; value != says[name][p] && p != api.PropAlign && p != api.PropOp {
				diff("%s: %s is %s, gcc says %s", name, p, value, says[name][p])
			}
		}
	}
	for _, a := range ours.Aliases {
		known := says[a.Kind+" "+a.Of] != nil
		switch a.Kind {
		case "function":
			known = says[a.Of][api.PropSignature] != ""
		case "enumerator":
			known = says[a.Of][api.PropValue] != ""
		}
		if !known {
			diff("%s: gcc knows no %s %s", a.Name, a.Kind, a.Of)
		}
	}
	return diffs
}

// sorted are the keys of two maps.
func sorted[V any, M ~map[string]V](a, b M) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// alike returns our facts and what gcc says in one form, without what gcc cannot know and what facts need not have.
func (v *View) alike(rel *api.Release) (ours, theirs *api.Release) {
	o, t := *rel, *v.rel
	o.Records, t.Records = v.records(rel)
	o.Enums = nil
	for _, e := range rel.Enums {
		if !v.Alone || !e.Foreign {
			e.Tag = enumName(e)
			o.Enums = append(o.Enums, e)
		}
	}
	o.Macros = slices.Clone(rel.Macros)
	for i := range o.Macros {
		switch m := &o.Macros[i]; value := m.Value.(type) {
		case uint64:
			m.Value = int64(value)
		case string:
			m.Value = squeeze(value)
		}
	}
	o.Functions = slices.Clone(rel.Functions)
	for i := range o.Functions {
		f := &o.Functions[i]
		f.Ret, f.Params = squeeze(f.Ret), slices.Clone(f.Params)
		for j := range f.Params {
			f.Params[j].Type = squeeze(f.Params[j].Type)
		}
	}
	t.Macros = slices.Clone(t.Macros)
	for _, a := range rel.Aliases {
		i := slices.IndexFunc(t.Macros, func(m api.Macro) bool { return m.Name == a.Name })
		if i >= 0 {
			t.Aliases = append(t.Aliases, api.Alias{Name: a.Name, Of: v.texts[a.Name], Pos: t.Macros[i].Pos})
			t.Macros = slices.Delete(t.Macros, i, i+1)
		}
	}
	return &o, &t
}

// records are those of alike.
func (v *View) records(rel *api.Release) (ours, theirs []api.Record) {
	records := map[string]api.Record{}
	for _, r := range v.rel.Records {
		records[r.Tag] = r
	}
	for _, r := range rel.Records {
		other, known := records[r.Tag]
		beside := v.Alone && r.Foreign // declared elsewhere: others compare its fields
		other.Foreign = false
		switch {
		case r.Incomplete && (!known || beside): // gcc leaves out what only parameters point to
			delete(records, r.Tag)
			continue
		case beside:
			r.Fields, other.Fields = nil, nil
		}
		if known {
			records[r.Tag] = other
		}
		r.Fields = slices.Clone(r.Fields)
		for i := range r.Fields {
			f := &r.Fields[i]
			if f.Type = asView(f.Type); f.BitOffset != nil {
				f.Offset = 8*f.Offset + int64(*f.BitOffset)
			}
		}
		ours = append(ours, r)
	}
	for _, r := range records {
		if !r.Foreign {
			theirs = append(theirs, r)
		}
	}
	return ours, theirs
}

var spaceRE = regexp.MustCompile(`\s*([*(),])\s*`)

// squeeze drops white space around marks.
func squeeze(s string) string { return spaceRE.ReplaceAllString(s, "$1") }

// enumName names an enum by its tag, or by its first enumerator.
func enumName(e api.Enum) string {
	if (strings.Contains(e.Tag, "<") || e.Tag == "enum ") && len(e.Enumerators) > 0 {
		return "enum with " + e.Enumerators[0].Name
	}
	return e.Tag
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
