package fit

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/api"
)

// extendedContext is the record behind a context, which the C side walks through. It grows at its beginning.
const extendedContext = "struct verbs_context"

// text compares the declarations that hand-written text names with the newest known release, so that the text is never put beside
// declarations that it was not written for.
func (h *holder) text() {
	for _, v := range h.pkg.Verbs {
		at, special, written := h.at[v.C], orZero(v.Special), v.Special != nil
		for _, m := range v.Methods {
			f := form.Of(v.C, m.Form)
			h.unchanged(at, f.Reads...)
			written = written || f.Sig != nil
		}
		h.unchanged(at, special.Types...)
		for _, s := range special.Symbols {
			h.unchanged(at, s.Name)
		}
		if v.Way == model.WayVerbs {
			h.unchanged(at, extendedContext)
		}
		if !written {
			continue
		}
		h.unchanged(at, v.C)
		for _, p := range h.facts.Func(v.C).Params {
			h.unchanged(at, "struct "+h.facts.TypeOf(p.Type).Tag)
		}
		for _, p := range v.Params {
			h.unchanged(at, orZero(p.Bit).C)
		}
	}
	for _, e := range h.pkg.Enums {
		for _, m := range e.Members {
			if e.Runtime != "" {
				h.unchanged(api.Pos{}, m.C)
			}
		}
	}
}

// unchanged refuses functions, records and constants that are not as in the known release.
func (h *holder) unchanged(at api.Pos, names ...string) {
	for _, name := range names {
		switch rec := h.known.Record(name); {
		case h.seen[name] || h.was[name] == nil:
		case h.is[name] == nil && h.known.Func(name) == nil:
			h.fail(diag.SpecialChanged, at, name, "the header does not have it, and the code that is written for the function uses it")
		case rec != nil:
			h.record(rec)
		default:
			h.same(name, api.PropSignature, api.PropKind, api.PropValue)
		}
		h.seen[name] = true
	}
}

// record refuses a record with other members than in the known release. One that the header lacks is as in an older release, unless it
// came with the record, and one that it has more is as in a newer one. Members that only hold a place (_compat_...) are used by nothing.
func (h *holder) record(known *api.Record) {
	var lacks []string
	for _, f := range known.Fields {
		name := known.Tag + "." + f.Name
		switch {
		case f.Name == "" || strings.HasPrefix(f.Name, "_compat"):
		case h.is[name] == nil && h.Since(name) == h.Since(known.Tag):
			lacks = append(lacks, f.Name)
		case known.Tag == extendedContext:
			h.same(name, api.PropType)
		default:
			h.same(name, api.PropType, api.PropOffset)
		}
	}
	if len(lacks) > 0 {
		h.fail(diag.SpecialChanged, h.at[known.Tag], known.Tag, "it has no "+strings.Join(lacks, ", ")+", which the code that uses it needs")
	}
}

// same refuses a declaration with a property that differs from that in the known release.
func (h *holder) same(name string, properties ...string) {
	is, was := h.is[name], h.was[name]
	for _, p := range properties {
		if is != nil && is[p] != was[p] {
			h.fail(diag.SpecialChanged, h.at[name], name, "its "+p+" is "+is[p]+"; the code that uses it was written for "+was[p])
		}
	}
}
