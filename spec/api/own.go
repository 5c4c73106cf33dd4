package api

import (
	"slices"
	"strings"
)

// Own returns the facts of a header that includes the headers of other modules: its own declarations, and of the others what these
// name. own reports whether a file is one of the header's own. A record of another header that is only pointed at is incomplete.
func Own(rel *Release, own func(file string) bool) *Release {
	o := &owner{from: rel, own: own, whole: map[string]bool{}, named: map[string]bool{}}
	out := &Release{Release: rel.Release}
	out.Functions = keep(rel.Functions, func(f Function) bool { return own(f.Pos.File) })
	out.Macros = keep(rel.Macros, func(m Macro) bool { return own(m.Pos.File) })
	out.Aliases = keep(rel.Aliases, func(a Alias) bool { return own(a.Pos.File) })
	out.Typedefs = keep(rel.Typedefs, func(t Typedef) bool { return own(t.Pos.File) })
	out.Variables = keep(rel.Variables, func(v Variable) bool { return own(v.Pos.File) })
	for _, f := range out.Functions {
		o.function(f.Ret, f.Params)
	}
	for _, r := range rel.Records {
		if own(r.Pos.File) {
			o.record(r.Tag)
		}
	}
	out.Records = []Record{}
	for _, r := range rel.Records {
		switch {
		case own(r.Pos.File):
		case o.whole[r.Tag]:
			r.Foreign = true
		case o.named[r.Tag]:
			r = Record{Tag: r.Tag, Incomplete: true, Foreign: true, Fields: []Field{}, Pos: r.Pos}
		default:
			continue
		}
		out.Records = append(out.Records, r)
	}
	out.Enums = []Enum{}
	for _, e := range rel.Enums {
		e.Foreign = !own(e.Pos.File)
		if !e.Foreign || o.named[e.Tag] {
			out.Enums = append(out.Enums, e)
		}
	}
	return out
}

// keep lists what fulfils a condition; it is never nil.
func keep[T any](list []T, fulfils func(T) bool) []T {
	out := []T{}
	for _, x := range list {
		if fulfils(x) {
			out = append(out, x)
		}
	}
	return out
}

// owner finds what declarations name.
type owner struct {
	from  *Release
	own   func(string) bool
	whole map[string]bool // held by value
	named map[string]bool // held by value or pointed at
}

func (o *owner) function(ret string, params []Param) {
	o.mention(ret)
	for _, p := range params {
		o.mention(p.Type)
	}
}

// mention notes a type that is named: "const struct ibv_sge *".
func (o *owner) mention(ctype string) {
	words := strings.Fields(strings.NewReplacer("*", " ", "[", " [", "(", " ( ", ")", " ").Replace(ctype))
	for i, w := range words {
		if i+1 == len(words) || w != "struct" && w != "union" && w != "enum" {
			continue
		}
		tag := w + " " + words[i+1]
		o.named[tag] = true
		if w != "enum" && !strings.Contains(ctype, "*") {
			o.record(tag)
		}
	}
}

// record notes a record that is held by value, and what its fields name.
func (o *owner) record(tag string) {
	if o.whole[tag] {
		return
	}
	o.whole[tag], o.named[tag] = true, true
	i := slices.IndexFunc(o.from.Records, func(r Record) bool { return r.Tag == tag })
	if i < 0 {
		return
	}
	for _, f := range o.from.Records[i].Fields {
		if f.Func != nil {
			o.function(f.Func.Ret, f.Func.Params)
			continue
		}
		o.mention(f.Type)
	}
}
