package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindViews resolves the views of objects with streams of commands, and the functions that each has.
func (b *binder) bindViews() {
	for _, v := range b.pkg.Verbs {
		s := b.specOf[v.C]
		if s.View == nil || len(v.Methods) == 0 {
			continue
		}
		if !b.streams(s.View.Stream) {
			b.errorf(diag.TypeUnknown, s.Pos, v.C, "view: no page of another module has the stream "+s.View.Stream, "correct stream:")
			continue
		}
		of, ref := b.use(s.View.Stream)
		v.View = &model.View{C: strings.TrimSuffix(strings.TrimPrefix(v.CRet, "struct "), " *"), Go: v.Methods[0].Name,
			Requests: s.View.Requests, Stream: ref, Of: of}
		for _, w := range b.pkg.Verbs {
			ws := b.specOf[w.C]
			if ws.Command == nil || len(w.Params) == 0 || w.Params[0].CType != v.CRet {
				continue
			}
			w.Inner = true
			c := &model.Command{Verb: w, Go: ws.Command.Go, Builds: ws.Command.Builds}
			if with := ws.Command.With; with != "" {
				if c.With = b.verbs[with]; c.With == nil || len(c.With.Symbols()) == 0 {
					b.errorf(diag.NameUnknown, ws.Pos, w.C, "command: with: names "+with+", which no page describes as a function of the library",
						"correct with:")
				}
			}
			v.View.Commands = append(v.View.Commands, c)
		}
	}
}

// streams reports whether another module has a stream of commands of a type.
func (b *binder) streams(typ string) bool {
	module, bare, _ := strings.Cut(typ, ".")
	use := b.in.Spec.Module.UseOf(module)
	if use == nil {
		return false
	}
	for _, p := range use.Spec.Pages {
		for i := range p.Verbs {
			if slices.ContainsFunc(p.Verbs[i].Methods, func(m spec.Method) bool {
				return m.Form == form.Stream && strings.ReplaceAll(m.Go, ".", "") == bare
			}) {
				return true
			}
		}
	}
	return false
}
