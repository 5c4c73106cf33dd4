package bind

import (
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// selectVerbs finds the functions to bind: those that match Only, and what their objects stand on.
func (b *binder) selectVerbs() {
	bindable, all := []string{}, len(b.only) == 0
	for v := range b.Verbs() {
		if all || v.Always {
			b.need(v.C)
		}
		if b.facts.Func(v.C) != nil {
			bindable = append(bindable, v.C)
		}
	}
	for _, glob := range b.only {
		match := slices.DeleteFunc(slices.Clone(bindable), func(c string) bool { ok, _ := path.Match(glob, c); return !ok })
		for _, c := range match {
			b.need(c)
		}
		if len(match) == 0 {
			b.noMatch(glob, bindable)
		}
	}
	for !all && b.needMakers() {
	}
}

// noMatch reports a glob that matches no function.
func (b *binder) noMatch(glob string, bindable []string) {
	problem, fix := "matches no function that a page of this release binds", "list them with `verbsgen coverage`"
	slices.Sort(bindable)
	like := spec.Closest(glob, bindable)
	for _, prefix := range b.Module.Prefixes() {
		if b.VerbByC(prefix+glob) != nil {
			like = prefix + glob
		}
	}
	if like != "" {
		fix = "did you mean " + like + "?"
	}
	for _, p := range b.Pages {
		for _, s := range p.Skip {
			if s.C == glob {
				problem, fix = "page "+p.Page+" skips it: "+s.Reason, "bind it there"
			}
		}
	}
	b.errs = append(b.errs, diag.New(diag.OnlyNoMatch, "", 0, 0, "--only "+glob, problem, fix))
}

// need adds a function, and what it needs.
func (b *binder) need(c string) {
	v, file := b.VerbByC(c), form.FileOf(c)
	if v == nil || b.want[c] {
		return
	}
	b.want[c] = true
	b.need(v.EndedBy)
	b.needAll(v.NeedsVerbs, file.All())
	for w := range b.Verbs() {
		if v.Stream != nil && (w.Builds != nil || w.SetsFor != "") {
			b.need(w.C)
		}
		if v.View != nil && w.Command != nil {
			b.need(w.C)
			b.need(w.Command.With)
		}
	}
	b.needObject(v.Creates)
	for _, name := range file.Needs {
		b.needObject(name)
	}
	for name := range b.takes(v) {
		b.needObject(name)
	}
}

func (b *binder) needAll(parts map[string]string, calls []*form.Func) {
	for _, c := range parts {
		b.need(c)
	}
	for _, x := range calls {
		b.need(x.C)
	}
}

// needObject adds how an object and its parents are destroyed.
func (b *binder) needObject(name string) {
	o := b.ObjectByGo(name)
	if o == nil || strings.Contains(name, ".") || b.reached[name] {
		return
	}
	b.reached[name] = true
	b.need(o.Destroy)
	b.needAll(o.NeedsVerbs, form.With(name))
	for _, parent := range o.Parents {
		b.needObject(parent)
	}
}

// needMakers adds a verb that makes an object where none is wanted: the first one on the object's own page. A verb that takes such an
// object itself does not count, as ibv_alloc_parent_domain, which extends a protection domain. It reports whether it added any.
func (b *binder) needMakers() (added bool) {
	for _, p := range b.Pages {
		for _, o := range p.Objects {
			makes := func(v spec.Verb) bool { return v.Creates == o.Go && !b.takes(&v)[o.Go] }
			wanted := func(v spec.Verb) bool { return b.want[v.C] && makes(v) }
			if !b.reached[o.Go] || slices.ContainsFunc(b.Pages, func(p *spec.Page) bool { return slices.ContainsFunc(p.Verbs, wanted) }) {
				continue
			}
			if i := slices.IndexFunc(p.Verbs, makes); i >= 0 {
				b.need(p.Verbs[i].C)
				added = true
			}
		}
	}
	return added
}

// takes are the objects that a verb takes, by itself, in a record, or in what can stand behind one.
func (b *binder) takes(v *spec.Verb) map[string]bool {
	out := map[string]bool{}
	of := func(r *spec.Record) {
		for _, f := range r.Fields {
			out[f.Handle], out[f.Handles] = true, true
		}
	}
	for _, p := range v.Params {
		out[p.Type] = true
		r := orZero(b.RecordByGo(p.Type))
		of(r)
		for arm := range b.Records() {
			if a := arm.Arm; r.Tail != nil && a != nil && a.Of == r.Tail.Of {
				of(arm)
			}
		}
	}
	return out
}
