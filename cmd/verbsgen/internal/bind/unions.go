package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindUnions makes the Go types of unions, before the structs that hold them.
func (b *binder) bindUnions() {
	for _, p := range b.in.Spec.Pages {
		for i := range p.Unions {
			b.bindUnion(p, &p.Unions[i])
		}
	}
}

func (b *binder) bindUnion(p *spec.Page, s *spec.Union) {
	tag := "union " + s.C
	rec := b.facts.Record(tag)
	shown := rec.Field(s.Shows)
	if shown == nil {
		return // of a later release
	}
	goType, err := b.show(rec, s.Go, *shown)
	if err != nil {
		b.headerf(diag.MirrorImpossible, shown.Pos, tag+"."+s.Shows, err.Error(), "show another member")
	}
	goType = strings.Replace(goType, "]uint8", "]byte", 1)
	u := &model.Union{Go: s.Go, C: s.C, Page: p.Page, GoType: goType, Text: s.Text, Doc: s.Doc}
	b.unions[s.Go] = u
	b.pkg.Unions = append(b.pkg.Unions, u)
}
