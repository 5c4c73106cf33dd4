package fit

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Written says which declarations hand-written text was written for: the C in templates/, and the Go of the emitter and under runtime/.
type Written struct {
	Known *api.Release             // the newest known release; nil when the facts are those of a known release
	Since func(name string) string // first known release that has the name
}

// Package compares what is to be generated with the header: bodies that are called as the header does, handles that can be closed, and
// the declarations that hand-written text was written for. The error is a diag.List.
func Package(pkg *model.Package, facts *spec.Facts, sp *spec.Spec, w Written) error {
	h := &holder{checker: checker{Spec: sp, facts: facts}, Written: w, pkg: pkg, at: api.Positions(pkg.Facts), seen: map[string]bool{}}
	for _, v := range pkg.Verbs {
		h.dispatch(v)
	}
	if w.Known != nil {
		h.known, h.is, h.was = sp.Module.NewFacts(w.Known), api.Properties(pkg.Facts), api.Properties(w.Known)
		h.text()
	}
	for _, o := range pkg.Objects {
		s := orZero(sp.ObjectByGo(o.Go))
		h.all(entry{o.Go, s.At},
			row{o.Destroy == nil, "destroy", "nothing closes it: this header does not declare " + s.Destroy, "use a complete header"},
			row{pkg.Root != nil && o != pkg.Root && len(o.Parents) == 0, "parents",
				"it has no parents, and neither has " + orZero(pkg.Root).Go + ", which the others are made from",
				"name the objects that it is made from"})
	}
	return h.errs.Err()
}

// holder collects what Package finds.
type holder struct {
	checker
	Written
	pkg     *model.Package
	at      map[string]api.Pos // of the names of the header
	known   *spec.Facts
	is, was map[string]api.Agreed // the properties of names, in the header and in the known release
	seen    map[string]bool
}

// fail adds a problem at a place of the header.
func (h *holder) fail(code string, pos api.Pos, subject, problem string) {
	h.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, "take the header as rdma-core has it"))
}
