package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/layout"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec/role"
)

// requests uses the records of the requests that a method posts, where a package of the runtime has them.
func (b *binder) requests(v *model.Verb, m *model.Method, use func(r *model.Record)) {
	for _, r := range b.records {
		if r.Runtime != "" && form.Of(v.C, m.Form).Requests == "struct "+r.C {
			use(r)
		}
	}
}

// prune drops types that no bound verb needs, and orders what is left.
func (b *binder) prune() {
	usedEnum, usedObj, usedRec := map[*model.Enum]bool{}, map[*model.Object]bool{}, map[*model.Record]bool{}
	var useRec func(r *model.Record)
	useRec = func(r *model.Record) {
		if r == nil || usedRec[r] {
			return
		}
		usedRec[r] = true
		for _, f := range r.Fields {
			if f.Enum != nil {
				usedEnum[f.Enum] = true
			}
			if f.Object != nil {
				usedObj[f.Object] = true
			}
			useRec(f.Record)
			if f.Handles != nil {
				usedObj[f.Handles] = true
			}
			for _, x := range append([]*model.Record{f.Nested}, f.Points...) {
				useRec(x)
			}
		}
		if r.Tail != nil {
			for _, arm := range r.Tail.Arms {
				useRec(arm)
			}
		}
	}
	var useObj func(o *model.Object)
	useObj = func(o *model.Object) {
		if o == nil || usedObj[o] {
			return
		}
		usedObj[o] = true
		for _, p := range o.Parents {
			useObj(p)
		}
	}
	for _, v := range b.pkg.Verbs {
		useObj(v.Creates)
		for _, name := range special.Needs(v.C) {
			useObj(b.objects[name])
		}
		if v.Enum != nil {
			usedEnum[v.Enum] = true
		}
		for _, p := range v.Params {
			useObj(p.Object)
			if !fixedEverywhere(v, p) {
				useRec(p.Record)
			}
			if p.Role == role.Slice && p.Record != nil {
				p.Record.Listed = true
			}
			if p.Enum != nil {
				usedEnum[p.Enum] = true
			}
		}
		for _, m := range v.Methods {
			b.requests(v, m, useRec)
		}
		useRec(v.Lists)
		if v.Stream != nil {
			usedEnum[v.Stream.Asks] = true
		}
		for _, e := range v.Reads.Enums() {
			usedEnum[e] = true
		}
		for _, name := range b.specOf[v.C].NeedsTypes {
			if e := b.types[name]; e != nil {
				usedEnum[e] = true
			}
		}
	}
	b.collectMirrors(usedRec)
	b.dropWritten(usedObj)
	b.dropUnions()
	b.findRoot(usedObj)
	b.pkg.Enums = slices.DeleteFunc(b.pkg.Enums, func(e *model.Enum) bool { return !usedEnum[e] })
	b.pkg.Objects = slices.DeleteFunc(b.pkg.Objects, func(o *model.Object) bool { return !usedObj[o] })
	b.pkg.Records = slices.DeleteFunc(b.pkg.Records, func(r *model.Record) bool { return !usedRec[r] })
	slices.SortStableFunc(b.pkg.Symbols, func(s, t *model.Symbol) int { return strings.Compare(s.Name, t.Name) })
	for i, s := range b.pkg.Symbols {
		s.Index = i
	}
}

// dropUnions drops the unions that neither a parameter nor a mirror has.
func (b *binder) dropUnions() {
	used := map[string]bool{}
	for _, m := range b.pkg.Mirrors {
		for _, l := range m.Leaf {
			elem, _ := layout.Array(l.CType)
			used[elem] = true
		}
	}
	for _, v := range b.pkg.Verbs {
		for _, p := range v.Params {
			if p.Union != nil {
				used["union "+p.Union.C] = true
			}
		}
	}
	b.pkg.Unions = slices.DeleteFunc(b.pkg.Unions, func(u *model.Union) bool { return !used["union "+u.C] })
}

// findRoot finds the object that the others are made from. Where the module has one that the pages do not, it is the first without
// parents.
func (b *binder) findRoot(used map[*model.Object]bool) {
	root := b.in.Spec.Module.Root
	if root == "" {
		return
	}
	for _, o := range b.pkg.Objects {
		switch {
		case !used[o]:
		case o.Go == root:
			b.pkg.Root = o
			return
		case len(o.Parents) == 0 && b.pkg.Root == nil:
			b.pkg.Root = o
		}
	}
}

// dropWritten leaves out the methods, written by hand, of objects that the package does not have.
func (b *binder) dropWritten(used map[*model.Object]bool) {
	for _, v := range b.pkg.Verbs {
		v.Methods = slices.DeleteFunc(v.Methods, func(m *model.Method) bool {
			o := b.objects[m.Recv]
			return m.Form == form.Special && o != nil && !used[o]
		})
	}
}

// fixedEverywhere tells whether no method of a verb takes a parameter: then its type has no Go face.
func fixedEverywhere(v *model.Verb, p *model.Param) bool {
	for _, m := range v.Methods {
		if _, fixed := m.Fixed[p.C]; !fixed {
			return false
		}
	}
	return len(v.Methods) > 0
}

// collectMirrors lists the mirrors that the used records stand on, the held ones first.
func (b *binder) collectMirrors(used map[*model.Record]bool) {
	seen := map[*model.Mirror]bool{}
	var add func(m *model.Mirror)
	add = func(m *model.Mirror) {
		if m == nil || seen[m] {
			return
		}
		seen[m] = true
		for _, l := range m.Leaf {
			elem, _ := layout.Array(l.CType)
			if tag, ok := strings.CutPrefix(elem, "struct "); ok {
				add(b.mirrors[tag])
			}
		}
		b.pkg.Mirrors = append(b.pkg.Mirrors, m)
	}
	for _, r := range b.pkg.Records {
		if used[r] && !r.Entry && r.Runtime == "" {
			add(r.Mirror)
		}
	}
	for _, r := range b.pkg.Records {
		if used[r] && r.Entry {
			add(r.Mirror)
		}
	}
}
