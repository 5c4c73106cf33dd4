package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// extendedContext is the record behind a context, which the C side walks through. It grows at its beginning.
const extendedContext = "struct verbs_context"

// written compares the declarations that hand-written text was written for, the C in templates/ and the Go of gogen and under runtime/,
// with those of a header: the text is never put beside others.
type written struct {
	*binder
	at      map[string]api.Pos // of the names of the header
	known   *spec.Facts        // of the newest known release
	is, was map[string]api.Agreed
	seen    map[string]bool
}

// checkWritten looks at the declarations that hand-written text names.
func (b *binder) checkWritten(known *api.Release) {
	w := &written{binder: b, at: api.Positions(b.pkg.Facts), known: b.Module.NewFacts(known), is: api.Properties(b.pkg.Facts),
		was: api.Properties(known), seen: map[string]bool{}}
	for _, v := range w.pkg.Verbs {
		at, special, written := w.at[v.C], orZero(v.Special), v.Special != nil
		for _, m := range v.Methods {
			f := form.Of(v.C, m.Form)
			w.unchanged(at, f.Reads...)
			written = written || f.Sig != nil
		}
		w.unchanged(at, special.Types...)
		for _, s := range special.Symbols {
			w.unchanged(at, s.Name)
		}
		if v.Way == model.WayVerbs {
			w.unchanged(at, extendedContext)
		}
		if !written {
			continue
		}
		w.unchanged(at, v.C)
		for _, p := range w.facts.Func(v.C).Params {
			w.unchanged(at, "struct "+w.facts.TypeOf(p.Type).Tag)
		}
		for _, p := range v.Params {
			w.unchanged(at, orZero(p.Bit).C)
		}
	}
	for _, e := range w.pkg.Enums {
		for _, m := range e.Members {
			if e.Runtime != "" {
				w.unchanged(api.Pos{}, m.C)
			}
		}
	}
}

func (w *written) changed(at api.Pos, subject, problem string) {
	w.errorf(diag.SpecialChanged, spec.Pos(at), subject, problem, takeHeader)
}

// unchanged refuses functions, records and constants that are not as in the known release.
func (w *written) unchanged(at api.Pos, names ...string) {
	for _, name := range names {
		switch rec := w.known.Record(name); {
		case w.seen[name] || w.was[name] == nil:
		case w.is[name] == nil && w.known.Func(name) == nil:
			w.changed(at, name, "the header does not have it, and the code that is written for the function uses it")
		case rec != nil:
			w.members(rec)
		default:
			w.asKnown(name, api.PropSignature, api.PropKind, api.PropValue)
		}
		w.seen[name] = true
	}
}

// members refuses a record with other members than in the known release. One that the header lacks is as in an older release, unless it
// came with the record, and one that it has more is as in a newer one. Members that only hold a place (_compat_...) are used by nothing.
func (w *written) members(known *api.Record) {
	var lacks []string
	for _, f := range known.Fields {
		name := known.Tag + "." + f.Name
		switch {
		case f.Name == "" || strings.HasPrefix(f.Name, "_compat"):
		case w.is[name] == nil && w.came[name] == w.came[known.Tag]:
			lacks = append(lacks, f.Name)
		case known.Tag == extendedContext:
			w.asKnown(name, api.PropType)
		default:
			w.asKnown(name, api.PropType, api.PropOffset)
		}
	}
	if len(lacks) > 0 {
		w.changed(w.at[known.Tag], known.Tag, "it has no "+strings.Join(lacks, ", ")+", which the code that uses it needs")
	}
}

// asKnown refuses a declaration with a property that differs from that in the known release.
func (w *written) asKnown(name string, properties ...string) {
	is, was := w.is[name], w.was[name]
	for _, p := range properties {
		if is != nil && is[p] != was[p] {
			w.changed(w.at[name], name, "its "+p+" is "+is[p]+"; the code that uses it was written for "+was[p])
		}
	}
}
