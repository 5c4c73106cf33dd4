package main

import (
	"fmt"
	"slices"
	"sync"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/apidiff"
	"github.com/verbsgen/verbsgen/spec/api"
)

// contradictions lists what a header says otherwise than another, or not at all, as `verbsgen diff` sees it, without a look at the check of
// generate. What it says more is none: a new declaration, a field in padding, or fields at the end of a record that grew before.
func contradictions(was, is *api.Release) (list []string) {
	before, after := comparable(was, is), comparable(is, was)
	d := apidiff.Compare(before, after)
	for _, c := range append(d.Removed, d.Changed...) {
		list = append(list, fmt.Sprintf("%s %s was %s and is %s", c.Kind, c.Name, c.Old, c.New))
	}
	for _, r := range was.Records {
		i := slices.IndexFunc(is.Records, func(q api.Record) bool { return q.Tag == r.Tag })
		if i < 0 || r.Incomplete {
			continue
		}
		if q := is.Records[i]; q.Size != r.Size && (!grownRecords()[r.Tag] || q.Size < r.Size) || q.Align != r.Align {
			list = append(list, fmt.Sprintf("%s had size %d, alignment %d and has %d, %d", r.Tag, r.Size, r.Align, q.Size, q.Align))
		}
	}
	return list
}

// comparable is a release with what callers depend on, and no more: names of parameters are nothing to them, nor are the sizes of records,
// which may grow, the enum of an enumerator, or how an inline function reaches the provider, but for the op that it calls where both
// releases have one. The constants are macros.
func comparable(rel, other *api.Release) *api.Release {
	ops := map[string]bool{}
	for _, f := range other.Functions {
		ops[f.Name] = f.Dispatch != nil && f.Dispatch.Op != ""
	}
	out := &api.Release{Macros: slices.Clone(rel.Macros)}
	for _, f := range rel.Functions {
		g := api.Function{Name: f.Name, Kind: api.Exported, Ret: f.Ret}
		if f.Kind == api.Inline {
			g.Kind = f.Kind
		}
		for _, p := range f.Params {
			g.Params = append(g.Params, api.Param{Type: p.Type})
		}
		if f.Variadic {
			g.Params = append(g.Params, api.Param{Type: "..."})
		}
		if ops[f.Name] && f.Dispatch != nil && f.Dispatch.Op != "" {
			g.Params = append(g.Params, api.Param{Type: "op", Name: f.Dispatch.Op})
		}
		out.Functions = append(out.Functions, g)
	}
	for _, r := range rel.Records {
		r.Size, r.Align = 0, 0
		if !r.Incomplete {
			out.Records = append(out.Records, r)
		}
	}
	for _, e := range rel.Enums {
		for _, m := range e.Enumerators {
			out.Macros = append(out.Macros, api.Macro{Name: m.Name, Value: m.Value})
		}
	}
	for _, a := range rel.Aliases {
		out.Macros = append(out.Macros, api.Macro{Name: a.Name, Value: a.Kind + " " + a.Of})
	}
	return out
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
			old, known := sizes[r.Tag]
			grown[r.Tag] = grown[r.Tag] || known && old != r.Size || r.Field("comp_mask") != nil
			sizes[r.Tag] = r.Size
		}
	}
	return grown
})
