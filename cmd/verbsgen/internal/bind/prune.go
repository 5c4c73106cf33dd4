package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// usage is what the bound verbs of a package need: enums, objects and records.
type usage map[any]bool

// prune drops types that no bound verb needs, and orders what is left.
func (b *binder) prune() {
	used := usage{}
	for _, v := range b.pkg.Verbs {
		b.useVerb(used, v)
	}
	b.collectMirrors(used)
	b.dropWritten(used)
	b.dropUnions()
	b.findRoot(used)
	b.pkg.Enums = slices.DeleteFunc(b.pkg.Enums, func(e *model.Enum) bool { return !used[e] && !e.Untyped })
	b.pkg.Objects = slices.DeleteFunc(b.pkg.Objects, func(o *model.Object) bool { return !used[o] })
	b.pkg.Records = slices.DeleteFunc(b.pkg.Records, func(r *model.Record) bool { return !used[r] })
	slices.SortStableFunc(b.pkg.Symbols, func(s, t *model.Symbol) int { return strings.Compare(s.Name, t.Name) })
	for i, s := range b.pkg.Symbols {
		s.Index = i
	}
}

func (b *binder) useVerb(used usage, v *model.Verb) {
	used.object(v.Creates)
	for _, name := range form.FileOf(v.C).Needs {
		used.object(b.objects[name])
	}
	used[v.Enum] = true
	s := b.VerbByC(v.C)
	for _, p := range v.Params {
		used.object(p.Object)
		if !alwaysFixed(s, s.Param(p.C)) {
			used.record(p.Record)
		}
		if p.Role == role.Slice && p.Record != nil {
			p.Record.Listed = true
		}
		used[p.Enum] = true
		for _, x := range p.Pairs {
			used.object(x.In.Object)
			used.record(x.Out.Record)
		}
	}
	for _, r := range b.records { // of the requests that a method posts, where a package of the runtime has them
		if f := posts(v); r.Runtime != "" && f != nil && f.Requests == "struct "+r.C {
			used.record(r)
		}
	}
	used.record(v.Lists)
	if v.Stream != nil {
		used[v.Stream.Asks] = true
	}
	for _, e := range v.Reads.Enums() {
		used[e] = true
	}
	for _, name := range s.NeedsTypes {
		used[b.types[name]] = true
		used.record(b.records[name])
	}
}

// object uses an object and, as its methods take and return them, its parents.
func (u usage) object(o *model.Object) {
	if o == nil || u[o] {
		return
	}
	u[o] = true
	for _, p := range o.Parents {
		u.object(p)
	}
}

// record uses a record and the types of its fields. Objects of fields do not bring their parents.
func (u usage) record(r *model.Record) {
	if r == nil || u[r] {
		return
	}
	u[r] = true
	for _, f := range r.Fields {
		u[f.Enum] = true
		u[f.Object], u[f.Handles] = true, true
		u.record(f.Record)
		u.record(f.Nested)
		for _, x := range f.Points {
			u.record(x)
		}
	}
	if r.Tail != nil {
		for _, arm := range r.Tail.Arms {
			u.record(arm)
		}
	}
}

// dropUnions drops the unions that neither a parameter nor a mirror has.
func (b *binder) dropUnions() {
	used := map[string]bool{}
	for _, m := range b.pkg.Mirrors {
		for _, l := range m.Leaf {
			elem, _ := array(l.CType)
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
func (b *binder) findRoot(used usage) {
	root := b.Module.Root
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
func (b *binder) dropWritten(used usage) {
	for _, v := range b.pkg.Verbs {
		v.Methods = slices.DeleteFunc(v.Methods, func(m *model.Method) bool {
			o := b.objects[m.Recv]
			return m.Form == form.Special && o != nil && !used[o]
		})
	}
}

// collectMirrors lists the mirrors that the used records stand on, the held ones first.
func (b *binder) collectMirrors(used usage) {
	seen := map[*model.Mirror]bool{}
	var add func(m *model.Mirror)
	add = func(m *model.Mirror) {
		if m == nil || seen[m] {
			return
		}
		seen[m] = true
		for _, l := range m.Leaf {
			elem, _ := array(l.CType)
			if tag, ok := strings.CutPrefix(elem, "struct "); ok {
				add(b.mirrors[tag])
			}
		}
		b.pkg.Mirrors = append(b.pkg.Mirrors, m)
	}
	for _, o := range b.pkg.Objects {
		if o.Mirror != nil {
			padded(o.Mirror)
		}
	}
	for _, entries := range []bool{false, true} {
		for _, r := range b.pkg.Records {
			if used[r] && r.Entry == entries && r.Runtime == "" {
				add(r.Mirror)
			}
		}
	}
}
