package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// This file plans what requests need of the handles that they name: memory windows, whose keys change, and what they are bound to.

// named reports whether requests keep the address of the C object: that of a window, or of what it is bound to.
func (b *builder) named(o *model.Object) bool {
	return slices.ContainsFunc(b.written, func(f *special.File) bool { return slices.Contains(f.Names, o.Go) })
}

// changing plans the methods that read and set a field that changes while the object lives.
func (b *builder) changing(o *model.Object, x *model.Getter) []Decl {
	what := strings.TrimPrefix(x.Doc, "the ")
	at := []Value{result(b.self(o) + ".base"), number(uint64(x.Offset))}
	c := "struct " + o.C + "." + x.C
	get := b.on(o, x.Go, "", one(x.GoType), ret(of("cmem", "Live", at...)))
	get.Doc = Doc{Does: "returns the " + what + ". It is 0 once the " + o.Go + " is closed", C: c, Page: o.Page}
	set := b.on(o, "Set"+x.Go, "", errOnly, ret(of("cmem", "SetLive", append([]Value{text(c)}, append(at, val(naming.Local(x.C)))...)...)))
	set.Params = []Var{{Name: naming.Local(x.C), Type: x.GoType}}
	set.Doc = Doc{Does: Says("set getter", Words{"What": strings.SplitN(what, ";", 2)[0]}), C: c, Page: o.Page}
	return []Decl{get, set}
}
