// Package bind joins the facts of a release with the pages into the model that gogen and cgen read.
//
// It owns the resolution of names: does the header have it, since when, what is its value, its offset, its Go type; and whether what a page
// says of a declaration is what C has there. What is wrong is a problem with a place; all problems come together. It knows nothing
// of C syntax, of YAML syntax or of how code is written.
package bind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Options choose what is bound.
type Options struct {
	Package        string            // Go package name
	Imports        map[string]string // module -> import path of its Go package, where it is not the usual one
	Only           []string          // C functions to bind, as globs; empty: all
	AllowUndecided bool              // leave out declarations that no page decides, instead of failing
	Generated      bool              // the model is of a package that exists: pages and header were compared when it was generated
}

// Bind joins facts and pages into a model. The error is a diag.List of all that is wrong.
func Bind(rel *api.Release, sp *spec.Spec, opt Options) (*model.Package, error) {
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return nil, err
	}
	came, err := stored.Since()
	if err != nil {
		return nil, err
	}
	newest, header := rel, rel.Release == "" && stored.Newest() != ""
	if header {
		if newest, err = stored.Load(stored.Newest()); err != nil {
			return nil, err
		}
	}
	b := &binder{
		Spec: sp, only: opt.Only, generated: opt.Generated, facts: sp.Module.NewFacts(rel), came: came, oldest: stored.Oldest(), newest: newest,
		pkg:  &model.Package{Name: opt.Package, Module: module(sp.Module, opt.Imports), Release: rel.Release, Facts: rel},
		want: map[string]bool{}, verbs: map[string]*model.Verb{},
		reached: map[string]bool{}, objects: map[string]*model.Object{}, types: map[string]*model.Enum{},
		records: map[string]*model.Record{}, lazies: map[string]*model.Lazy{},
		unions: map[string]*model.Union{}, mirrors: map[string]*model.Mirror{}, capNames: map[string]string{}, shown: map[string]shownUnion{},
		arms: map[string]bool{}, pointed: map[string]bool{}, tailed: map[string]bool{},
	}
	if !opt.AllowUndecided && !opt.Generated {
		b.errs.AddErr(Decide(rel, sp).UndecidedErr())
	}
	b.bind()
	if len(b.errs) == 0 && !opt.Generated { // of a model that is not whole the rest is no news
		b.complete()
		if header {
			b.checkWritten(b.newest)
		}
	}
	return b.pkg, b.errs.Err()
}

func (b *binder) bind() {
	b.selectVerbs()
	b.bindEnums()
	b.bindUnions()
	b.bindObjects()
	b.bindRecords()
	b.bindVerbs()
	b.bindParts()
	b.bindStreams()
	b.bindViews()
	b.bindEvents()
	b.bindRules()
	b.bindCases()
	b.prune()
	b.families()
	b.fixes()
}

// takeHeader is how to mend a declaration that is not as text or code takes it for.
const takeHeader = "take the header as rdma-core has it"

// complete checks what is to be generated: bodies that are called as the header does, and handles that can be closed.
func (b *binder) complete() {
	for _, v := range b.pkg.Verbs {
		b.checkDispatch(v)
	}
	for _, o := range b.pkg.Objects {
		s := orZero(b.ObjectByGo(o.Go))
		b.wrong(entry{o.Go, s.At},
			row{o.Destroy == nil, "destroy", "nothing closes it: this header does not declare " + s.Destroy, "use a complete header"},
			row{b.pkg.Root != nil && o != b.pkg.Root && len(o.Parents) == 0, "parents",
				"it has no parents, and neither has " + orZero(b.pkg.Root).Go + ", which the others are made from",
				"name the objects that it is made from"})
	}
}

// binder is the state of one Bind.
type binder struct {
	*spec.Spec
	only      []string
	generated bool
	facts     *spec.Facts
	came      map[string]string // name -> first known release that has it
	oldest    string            // known release
	newest    *api.Release      // that is known, or that of the facts
	pkg       *model.Package
	errs      diag.List

	want    map[string]bool // C functions to bind
	reached map[string]bool // objects that they need, by Go name
	verbs   map[string]*model.Verb
	objects map[string]*model.Object // by Go name
	types   map[string]*model.Enum   // by Go name
	records map[string]*model.Record // by Go name
	unions  map[string]*model.Union  // by Go name
	lazies  map[string]*model.Lazy   // by Go name
	mirrors map[string]*model.Mirror // by C tag
	// capNames are the capabilities that rules use, by the name of their value.
	capNames map[string]string
	shown    map[string]shownUnion
	// The types that records are an arm of, those that fields point to, and those of tails.
	arms, pointed, tailed map[string]bool
}

// module is the module of the pages.
func module(m *spec.Module, imports map[string]string) model.Module {
	short, _, _ := strings.Cut(m.Library, ".so")
	out := model.Module{Own: m.Facts != "", Short: short, Serial: m.Serial, Name: m.Name, Header: m.Header, Library: m.Library, Probe: m.Probe,
		Install: m.Install, Begin: m.Begin}
	for _, u := range m.Uses {
		out.Uses = append(out.Uses, model.Use{Name: u.Name, Import: cmp.Or(imports[u.Name], u.Import)})
	}
	return out
}

// page is the man page of a declaration. A module of somebody else may not have it, if no rule or note cites a section.
func (b *binder) page(name string) string {
	p := orZero(b.PageByName(name))
	if b.Module.Facts != "" || slices.ContainsFunc(p.Rules, func(r spec.Rule) bool { return r.Section != "" }) ||
		slices.ContainsFunc(p.Notes, func(n spec.Note) bool { return n.Section != "" }) {
		return name
	}
	return ""
}

// families puts the bound methods into the parts of the library.
func (b *binder) families() {
	methods := map[string][]string{} // by family
	for _, v := range b.pkg.Verbs {
		if f := b.FamilyOf(v.C); f != nil {
			for _, m := range v.Methods {
				methods[f.Name] = append(methods[f.Name], m.Recv+"."+m.Name)
			}
		}
	}
	for _, f := range b.Module.Families {
		if len(methods[f.Name]) > 0 {
			b.pkg.Module.Families = append(b.pkg.Module.Families, model.Family{Name: f.Name, Doc: f.Doc, Methods: methods[f.Name]})
		}
	}
}

// errorf adds a problem at a place of the spec or of the header.
func (b *binder) errorf(code string, pos spec.Pos, subject, problem, fix string) {
	b.errs.Add(diag.At(code, pos, subject, problem, fix))
}

// newer reports whether a name that the release lacks is one of a later known release: then it is left out in silence.
func (b *binder) newer(name string) bool { return b.came[name] != "" }
