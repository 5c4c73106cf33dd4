package plan

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file plans memory windows: the requests that bind them, and the key that changes with each bind.

// named tells whether requests keep the address of the C object: that of a window, or of what it is bound to.
func (b *builder) named(o *model.Object) bool {
	if !b.has(form.Window) {
		return false
	}
	p := b.byForm[form.Window].Params
	return p[1].Object == o || b.bound(p[2]).Object == o
}

// bound is the field of the description that says what a window is bound to.
func (b *builder) bound(p *model.Param) *model.Field {
	for _, f := range p.Record.Fields {
		if f.Object != nil {
			return f
		}
	}
	return &model.Field{}
}

// window plans the writing of a request that binds a window.
func (b *builder) window(v *model.Verb, m *model.Method) []Decl {
	mw, bind := v.Params[1], v.Params[2]
	post := v.Part(form.PartPost)
	c := b.newCall(v, m)
	c.out.Params = []Var{{Name: "w", Type: "*dpath.SendWR"}, {Name: "rkey", Type: "uint32"}}
	c.out.Results = errOnly
	c.out.Doc = Doc{Does: "has a request bind the window to what " + bind.Go + " describes, with the key rkey: that of the window, with another last byte (dpath.NextRKey). Once the request is posted, the window has the key. " +
		"When the completion is an error, set the key from before. Window and region must stay open until the request has completed; a post after a Close is refused (os.ErrClosed). Invalidate or close the window before the queue pair: soft-RoCE otherwise takes 50 seconds to destroy that", C: post.C, Page: post.Page, More: []string{m.Doc}}
	field := b.bound(bind)
	if field.Object == nil {
		b.errorf(v.C+"."+bind.C, "it does not say what a window is bound to")
		return nil
	}
	c.recordParam(bind)
	region := bind.Go + "." + Kept(bind.Record, field)
	c.out.Steps = append([]Step{Name{post.C}}, c.pre...)
	c.out.Steps = append(append(c.out.Steps, Refuse{as(IsNil, region), of("verr", "NilHandle", verb, text(field.Object.Go))}), c.prep...)
	c.out.Steps = append(c.out.Steps,
		Do{of("dpath", "Bind", val("w"), val("rkey"), as(Memory, bind.Go+"C"), as(Address, mw.Go+".named"), as(Address, region+".named"))}, ret(null))
	return []Decl{c.out}
}

// changing plans the methods that read and set a field that changes while the object lives.
func (b *builder) changing(o *model.Object, x *model.Getter) []Decl {
	what := strings.TrimPrefix(x.Doc, "the ")
	at := []Value{result("o.base"), number(uint64(x.Offset))}
	c := "struct " + o.C + "." + x.C
	get := on(o, x.Go, "", one(x.GoType), ret(of("cmem", "Live", at...)))
	get.Doc = Doc{Does: "returns the " + what + ". It is 0 once the " + o.Go + " is closed", C: c, Page: o.Page}
	set := on(o, "Set"+x.Go, "", errOnly, ret(of("cmem", "SetLive", append([]Value{text(c)}, append(at, val(naming.Local(x.C)))...)...)))
	set.Params = []Var{{Name: naming.Local(x.C), Type: x.GoType}}
	set.Doc = Doc{Does: "sets the " + strings.SplitN(what, ";", 2)[0] + " that the program knows, such as the one from before a bind that failed. It changes nothing in the device", C: c, Page: o.Page}
	return []Decl{get, set}
}
