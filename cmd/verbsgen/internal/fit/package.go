package fit

import (
	"cmp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Written is what hand-written text is true to: the C in templates/, and the Go of the emitter and under runtime/.
type Written struct {
	Known *api.Release             // the newest known release; nil when the facts are those of a known release
	Since func(name string) string // first known release that has the name
	First string                   // first known release
}

// Package holds what is to be generated against the header: bodies that are called as the header does, handles that can be
// closed, names that are given once, and the declarations that hand-written text was written for. The error is a diag.List.
func Package(pkg *model.Package, facts *spec.Facts, sp *spec.Spec, w Written) error {
	h := &holder{pkg: pkg, sp: sp, facts: facts, Written: w, seen: map[string]bool{}}
	for _, v := range pkg.Verbs {
		h.dispatch(v)
	}
	if w.Known != nil {
		h.known = sp.Module.NewFacts(w.Known)
		h.text()
	}
	h.closed()
	if h.pkg.Root != nil {
		h.root()
	}
	h.names()
	return h.errs.Err()
}

// holder collects what Package finds.
type holder struct {
	Written
	pkg   *model.Package
	sp    *spec.Spec
	facts *spec.Facts
	known *spec.Facts
	seen  map[string]bool
	errs  diag.List
}

// fail adds a problem at a place of the header.
func (h *holder) fail(code string, pos api.Pos, subject, problem, fix string) {
	h.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

const wholeFix = "take the header as rdma-core has it"

// closed refuses handles that nothing closes.
func (h *holder) closed() {
	for _, o := range h.pkg.Objects {
		if o.Destroy == nil {
			h.fail(diag.HeaderLacks, h.madeAt(o), o.Go, "nothing closes it: this header does not declare "+h.sp.ObjectByGo(o.Go).Destroy,
				"use a complete header")
		}
	}
}

// madeAt is the place of a function that makes or takes an object.
func (h *holder) madeAt(o *model.Object) api.Pos {
	for _, v := range h.pkg.Verbs {
		if v.Creates == o || slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Object == o }) {
			return h.facts.Func(v.C).Pos
		}
	}
	return api.Pos(o.Pos)
}

// root refuses a second object without parents: the emitter hangs all others under one. The one with the most children is
// taken for it, but for one that a verb makes from another object.
func (h *holder) root() {
	children := map[*model.Object]int{}
	var root *model.Object
	for _, o := range h.pkg.Objects {
		for _, p := range o.Parents {
			children[p]++
		}
	}
	for _, v := range h.pkg.Verbs {
		if v.Creates != nil && slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Object != nil }) {
			children[v.Creates] = -1
		}
	}
	for _, o := range h.pkg.Objects {
		if len(o.Parents) == 0 && (root == nil || children[o] > children[root]) {
			root = o
		}
	}
	for _, o := range h.pkg.Objects {
		if len(o.Parents) == 0 && o != root {
			h.fail(diag.TypeUnknown, api.Pos(h.sp.ObjectByGo(o.Go).At("parents", "")), o.Go,
				"it has no parents, and neither has "+root.Go+", which the others are made from", "name the objects that it is made from")
		}
	}
}

// names refuses Go names of the package that are given twice, where the header gives one of them.
func (h *holder) names() {
	seen := map[string]string{}
	for _, e := range h.pkg.Enums {
		seen[e.Go] = cmp.Or(e.C, e.Go)
	}
	for _, o := range h.pkg.Objects {
		seen[o.Go] = "struct " + o.C
	}
	for _, r := range h.pkg.Records {
		seen[r.Go], seen["New"+r.Go] = "struct "+r.C, "struct "+r.C
	}
	twice := func(pos api.Pos, goName, c string) {
		if other := seen[goName]; other != "" {
			h.fail(diag.GoNameTwice, pos, c, "it gets the Go name "+goName+", which "+other+" already has",
				"give one of them another name in its page")
		}
		seen[goName] = c
	}
	for _, e := range h.pkg.Enums {
		for _, m := range e.Members {
			twice(h.constPos(m.C), m.Go, m.C)
		}
	}
	for _, m := range h.pkg.Mirrors {
		rec := h.facts.Record("struct " + m.C)
		twice(rec.Pos, m.Name, rec.Tag)
		fields := map[string]bool{}
		for _, l := range m.Leaf {
			if l.Go != "_" && fields[l.Go] {
				i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == l.C })
				h.fail(diag.GoNameTwice, rec.Fields[i].Pos, rec.Tag+"."+l.C, "its name in Go, "+l.Go+", is that of another field", wholeFix)
			}
			fields[l.Go] = true
		}
	}
}

// constPos is the place of an enumerator or macro.
func (h *holder) constPos(name string) api.Pos {
	if e := h.facts.EnumOf(name); e != nil {
		for _, m := range e.Enumerators {
			if m.Name == name {
				return api.Pos{File: e.Pos.File, Line: m.Line}
			}
		}
	}
	for _, m := range h.pkg.Facts.Macros {
		if m.Name == name {
			return m.Pos
		}
	}
	return api.Pos{}
}
