// Package bind joins the facts of a release with the specs into the model that the emitter reads.
//
// It owns the resolution of names (does the header have it, since when, what is its value) and the promise that every
// declaration is bound, skipped with a reason, or listed as undecided. All problems come together, each with its
// place. It knows nothing of C syntax, of YAML syntax or of how Go code is written.
package bind

import (
	"slices"
	"sort"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Input is what Bind joins.
type Input struct {
	Release  *api.Release
	Hash     string                   // of the facts
	Since    func(name string) string // first known release that has the name; empty when unknown
	Oldest   string                   // oldest known release
	Version  func(name string) string // default symbol version in the newest known release
	Known    *api.Release             // facts that hand-written text is true to; nil when Release is known itself
	Spec     *spec.Spec
	Package  string   // Go package name
	Only     []string // C functions to bind, as globs; empty: all
	Specials map[string]Special
}

// Special describes a verb whose C side is written by hand.
type Special struct {
	Hashes  []string // of the header's bodies that it was written for
	Symbols []string // exported functions that it calls
	Op      bool     // an op of the context may serve without any of them
	Types   []string // C declarations that it needs beside those of the parameters
}

// Bind joins in into a model. The error is a diag.List of all that is wrong.
func Bind(in Input) (*model.Package, error) {
	b := newBinder(in)
	b.selectVerbs()
	b.checkPages()
	b.bindEnums()
	b.bindObjects()
	b.bindRecords()
	b.bindVerbs()
	b.bindParts()
	b.bindEvents()
	b.bindRules()
	b.fitText()
	b.prune()
	b.checkRoot()
	b.fitObjects()
	b.fitRuntime()
	if len(b.errs) == 0 {
		b.fitNames()
	}
	if err := b.errs.Err(); err != nil {
		return nil, err
	}
	return b.pkg, nil
}

// binder is the state of one Bind.
type binder struct {
	in    Input
	pkg   *model.Package
	errs  diag.List
	funcs map[string]*api.Function
	recs  map[string]*api.Record // by "struct x"
	enums map[string]*api.Enum   // by "enum x"
	enumr map[string]enumerator  // by enumerator, macro or alias name

	want    map[string]bool // C functions to bind
	verbs   map[string]*model.Verb
	specOf  map[string]*spec.Verb
	objects map[string]*model.Object // by Go name
	types   map[string]*model.Enum   // by Go name
	records map[string]*model.Record // by Go name
	mirrors map[string]*model.Mirror // by C tag
	formOf  map[string]string        // form -> the one method that has it
}

type enumerator struct {
	value int64
	enum  string
	pos   api.Pos
}

func newBinder(in Input) *binder {
	b := &binder{
		in: in, funcs: map[string]*api.Function{}, recs: map[string]*api.Record{}, enums: map[string]*api.Enum{},
		enumr: map[string]enumerator{}, want: map[string]bool{}, verbs: map[string]*model.Verb{}, specOf: map[string]*spec.Verb{},
		objects: map[string]*model.Object{}, types: map[string]*model.Enum{}, records: map[string]*model.Record{},
		mirrors: map[string]*model.Mirror{}, formOf: map[string]string{},
	}
	rel := in.Release
	b.pkg = &model.Package{Name: in.Package, Release: rel.Release, FactsHash: in.Hash, Facts: rel}
	for i := range rel.Functions {
		b.funcs[rel.Functions[i].Name] = &rel.Functions[i]
	}
	for i := range rel.Records {
		b.recs[rel.Records[i].Tag] = &rel.Records[i]
	}
	for i := range rel.Enums {
		e := &rel.Enums[i]
		b.enums[e.Tag] = e
		for _, m := range e.Enumerators {
			b.enumr[m.Name] = enumerator{m.Value, e.Tag, api.Pos{File: e.Pos.File, Line: m.Line}}
		}
	}
	for _, m := range rel.Macros {
		switch v := m.Value.(type) {
		case int64:
			b.enumr[m.Name] = enumerator{v, "", m.Pos}
		case uint64:
			b.enumr[m.Name] = enumerator{int64(v), "", m.Pos}
		case float64:
			b.enumr[m.Name] = enumerator{int64(v), "", m.Pos}
		}
	}
	for _, a := range rel.Aliases {
		if e, ok := b.enumr[a.Of]; ok {
			b.enumr[a.Name] = e
		}
		if e, ok := b.enums["enum "+a.Of]; ok {
			b.enums["enum "+a.Name] = e
		}
	}
	return b
}

// errorf adds a problem at a place of the spec.
func (b *binder) errorf(code string, pos spec.Pos, subject, problem, fix string) {
	b.errs = append(b.errs, diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

// newer tells whether a name that the release lacks is one of a later known release: then it is left out in silence.
func (b *binder) newer(name string) bool {
	return b.in.Since(name) != ""
}

// selectVerbs finds the functions to bind: those that match Only, and what their objects stand on.
func (b *binder) selectVerbs() {
	for _, p := range b.in.Spec.Pages {
		for i := range p.Verbs {
			b.specOf[p.Verbs[i].C] = &p.Verbs[i]
		}
	}
	if len(b.in.Only) == 0 {
		for c := range b.specOf {
			b.want[c] = true
		}
		return
	}
	for _, glob := range b.in.Only {
		n := 0
		for c := range b.specOf {
			if match(glob, c) && b.funcs[c] != nil {
				b.want[c], n = true, n+1
			}
		}
		if n == 0 {
			fix := "list them with `verbsgen coverage`"
			if like := spec.Closest(glob, b.bindable()); like != "" {
				fix = "did you mean " + like + "?"
			}
			b.errs = append(b.errs, diag.New(diag.OnlyNoMatch, "", 0, 0, "--only "+glob, "matches no function that a page of this release binds", fix))
		}
	}
	for changed := true; changed; {
		changed = b.closeOver()
	}
}

// closeOver adds what the wanted functions need: how the objects they use are made and destroyed. It tells whether it
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
		for _, part := range v.NeedsVerbs {
			add(part)
		}
	}
	used := b.usedObjects()
	for _, p := range b.in.Spec.Pages {
		for _, o := range p.Objects {
			if !used[o.Go] {
				continue
			}
			add(o.Destroy)
			for _, part := range o.NeedsVerbs {
				add(part)
			}
			b.addMaker(p, o, add)
		}
	}
	return changed
}

// addMaker adds a verb that makes an object when none is wanted: the first one on the object's own page.
func (b *binder) addMaker(p *spec.Page, o spec.Object, add func(string)) {
	for c := range b.want {
		if v := b.specOf[c]; v != nil && v.Creates == o.Go {
			return
		}
	}
	for _, v := range p.Verbs {
		if v.Creates == o.Go {
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
		for _, p := range v.Params {
			used[p.Type] = true
			if r := b.in.Spec.RecordByGo(p.Type); r != nil {
				for _, f := range r.Fields {
					used[f.Handle] = true
				}
			}
		}
	}
	for range b.in.Spec.Pages { // parents of parents: as deep as there are pages at the most
		for _, p := range b.in.Spec.Pages {
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

// match is a glob with * only.
func match(glob, s string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, last)
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
			useRec(f.Nested)
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
		for _, p := range v.Params {
			useObj(p.Object)
			if !fixedEverywhere(v, p) {
				useRec(p.Record)
			}
			if p.Role == spec.RoleSlice && p.Record != nil {
				p.Record.Listed = true
			}
			if p.Enum != nil {
				usedEnum[p.Enum] = true
			}
		}
		useRec(v.Lists)
		for _, name := range b.specOf[v.C].NeedsTypes {
			if e := b.types[name]; e != nil {
				usedEnum[e] = true
			}
		}
	}
	b.collectMirrors(usedRec)
	b.dropOptional(usedObj)
	b.pkg.Enums = keep(b.pkg.Enums, usedEnum)
	b.pkg.Objects = keep(b.pkg.Objects, usedObj)
	b.pkg.Records = keep(b.pkg.Records, usedRec)
	sort.SliceStable(b.pkg.Symbols, func(i, j int) bool { return b.pkg.Symbols[i].Name < b.pkg.Symbols[j].Name })
	for i, s := range b.pkg.Symbols {
		s.Index = i
	}
}

// dropOptional leaves out the methods that can be missing, where their receiver is.
func (b *binder) dropOptional(used map[*model.Object]bool) {
	for _, v := range b.pkg.Verbs {
		v.Methods = slices.DeleteFunc(v.Methods, func(m *model.Method) bool {
			return form.Find(m.Form).Optional && !used[b.objects[m.Recv]]
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
			elem, _ := array(l.CType)
			if tag, ok := strings.CutPrefix(elem, "struct "); ok {
				add(b.mirrors[tag])
			}
		}
		b.pkg.Mirrors = append(b.pkg.Mirrors, m)
	}
	for _, r := range b.pkg.Records {
		if used[r] && !r.Entry {
			add(r.Mirror)
		}
	}
	for _, r := range b.pkg.Records {
		if used[r] && r.Entry {
			add(r.Mirror)
		}
	}
}

func keep[T comparable](list []T, used map[T]bool) []T {
	var out []T
	for _, x := range list {
		if used[x] {
			out = append(out, x)
		}
	}
	return out
}

// bindable lists the C functions of the release that a page binds, in order.
func (b *binder) bindable() []string {
	var names []string
	for c := range b.specOf {
		if b.funcs[c] != nil {
			names = append(names, c)
		}
	}
	slices.Sort(names)
	return names
}
