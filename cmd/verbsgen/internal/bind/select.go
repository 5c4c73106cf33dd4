package bind

import (
	"maps"
	"path"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// selectVerbs finds the functions to bind: those that match Only, and what their objects stand on.
func (b *binder) selectVerbs() {
	for _, p := range b.Pages {
		for i := range p.Verbs {
			b.specOf[p.Verbs[i].C] = &p.Verbs[i]
		}
	}
	if len(b.only) == 0 {
		for c := range b.specOf {
			b.want[c] = true
		}
		return
	}
	for _, glob := range b.only {
		n := 0
		for c := range b.specOf {
			if ok, _ := path.Match(glob, c); ok && b.facts.Func(c) != nil {
				b.want[c], n = true, n+1
			}
		}
		if n == 0 {
			fix := "list them with `verbsgen coverage`"
			like := spec.Closest(glob, b.bindable())
			for _, prefix := range b.Module.Prefixes() {
				if b.specOf[prefix+glob] != nil {
					like = prefix + glob
				}
			}
			if like != "" {
				fix = "did you mean " + like + "?"
			}
			problem := "matches no function that a page of this release binds"
			for _, p := range b.Pages {
				for _, s := range p.Skip {
					if s.C == glob {
						problem, fix = "page "+p.Page+" skips it: "+s.Reason, "bind it there"
					}
				}
			}
			b.errs = append(b.errs, diag.New(diag.OnlyNoMatch, "", 0, 0, "--only "+glob, problem, fix))
		}
	}
	for changed := true; changed; {
		changed = b.closeOver()
	}
}

// closeOver adds what the wanted functions need: how the objects they use are made and destroyed. It reports whether it
// added any.
func (b *binder) closeOver() bool {
	changed := false
	add := func(c string) {
		if c != "" && b.specOf[c] != nil && !b.want[c] {
			b.want[c], changed = true, true
		}
	}
	for c, v := range b.specOf {
		if !v.Always && !b.want[c] {
			continue
		}
		add(c)
		add(v.EndedBy)
		for _, part := range v.NeedsVerbs {
			add(part)
		}
		for _, x := range form.FileOf(c).All() {
			add(x.C)
		}
		for c, w := range b.specOf {
			if v.Stream != nil && (w.Builds != nil || w.SetsFor != "") {
				add(c)
			}
			if v.View != nil && w.Command != nil {
				add(c)
				add(w.Command.With)
			}
		}
	}
	used := b.usedObjects()
	for _, p := range b.Pages {
		for _, o := range p.Objects {
			if !used[o.Go] {
				continue
			}
			add(o.Destroy)
			for _, x := range form.With(o.Go) {
				add(x.C)
			}
			for _, part := range o.NeedsVerbs {
				add(part)
			}
			b.addMaker(p, o, add)
		}
	}
	return changed
}

// addMaker adds a verb that makes an object when none is wanted: the first one on the object's own page. A verb that takes such an
// object itself does not count, as ibv_alloc_parent_domain, which extends a protection domain.
func (b *binder) addMaker(p *spec.Page, o spec.Object, add func(string)) {
	for c := range b.want {
		if v := b.specOf[c]; v != nil && v.Creates == o.Go && !b.takes(v)[o.Go] {
			return
		}
	}
	for _, v := range p.Verbs {
		if v.Creates == o.Go && !b.takes(&v)[o.Go] {
			add(v.C)
			return
		}
	}
}

// usedObjects are the objects that the wanted verbs make, take, or take in a record, and their parents.
func (b *binder) usedObjects() map[string]bool {
	used := map[string]bool{}
	for c := range b.want {
		v := b.specOf[c]
		if v == nil {
			continue
		}
		used[v.Creates] = true
		for _, name := range form.FileOf(c).Needs {
			used[name] = true
		}
		maps.Copy(used, b.takes(v))
	}
	for range b.Pages { // parents of parents: as deep as there are pages at the most
		for _, p := range b.Pages {
			for _, o := range p.Objects {
				if used[o.Go] {
					for _, parent := range o.Parents {
						used[parent] = true
					}
				}
			}
		}
	}
	return used
}

// takes are the objects that a verb takes, by itself or in a record.
func (b *binder) takes(v *spec.Verb) map[string]bool {
	out := map[string]bool{}
	for _, p := range v.Params {
		out[p.Type] = true
		for _, r := range b.withArms(p.Type) {
			for _, f := range r.Fields {
				out[f.Handle], out[f.Handles] = true, true
			}
		}
	}
	return out
}

// withArms lists the record of a Go name, and what can stand behind it.
func (b *binder) withArms(name string) (out []*spec.Record) {
	r := b.RecordByGo(name)
	if r == nil {
		return nil
	}
	out = append(out, r)
	for _, p := range b.Pages {
		for i := range p.Records {
			if a := p.Records[i].Arm; r.Tail != nil && a != nil && a.Of == r.Tail.Of {
				out = append(out, &p.Records[i])
			}
		}
	}
	return out
}

// bindable lists the C functions of the release that a page binds, in order.
func (b *binder) bindable() []string {
	var names []string
	for c := range b.specOf {
		if b.facts.Func(c) != nil {
			names = append(names, c)
		}
	}
	slices.Sort(names)
	return names
}
