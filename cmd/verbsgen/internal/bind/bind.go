// Package bind joins the facts of a release with the specs into the model that the emitter reads.
//
// It owns the resolution of names: does the header have it, since when, what is its value, its offset, its Go type. What it
// cannot resolve is a problem with a place; all problems come together. It knows nothing of C syntax, of YAML syntax or of how
// Go code is written, and leaves to package fit whether a page may say of a declaration what it says.
package bind

import (
	"cmp"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Input is what Bind joins.
type Input struct {
	Release  *api.Release
	Facts    *spec.Facts              // of Release, by name
	Hash     string                   // of the facts
	Since    func(name string) string // first known release that has the name; empty when unknown
	Oldest   string                   // oldest known release
	Version  func(name string) string // default symbol version in the newest known release
	Spec     *spec.Spec
	Package  string            // Go package name
	Imports  map[string]string // module -> import path of its Go package, where it is not the usual one
	Only     []string          // C functions to bind, as globs; empty: all
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
	facts *spec.Facts

	want    map[string]bool // C functions to bind
	verbs   map[string]*model.Verb
	specOf  map[string]*spec.Verb
	objects map[string]*model.Object // by Go name
	types   map[string]*model.Enum   // by Go name
	records map[string]*model.Record // by Go name
	unions  map[string]*model.Union  // by Go name
	lazies  map[string]*model.Lazy   // by Go name
	mirrors map[string]*model.Mirror // by C tag
	// capNames are the capabilities that rules use, by the name of their value.
	capNames map[string]string
	shown    map[string]shownUnion
}

func newBinder(in Input) *binder {
	b := &binder{
		in: in, facts: in.Facts, want: map[string]bool{}, verbs: map[string]*model.Verb{},
		specOf: map[string]*spec.Verb{}, objects: map[string]*model.Object{}, types: map[string]*model.Enum{},
		records: map[string]*model.Record{}, lazies: map[string]*model.Lazy{},
		unions: map[string]*model.Union{}, mirrors: map[string]*model.Mirror{}, capNames: map[string]string{}, shown: map[string]shownUnion{},
	}
	rel := in.Release
	b.pkg = &model.Package{Name: in.Package, Module: bindModule(in), Release: rel.Release, FactsHash: in.Hash, Facts: rel}
	return b
}

// bindModule is the module of the pages.
func bindModule(in Input) model.Module {
	m := in.Spec.Module
	short, _, _ := strings.Cut(m.Library, ".so")
	out := model.Module{Short: short, Serial: m.Serial, Name: m.Name, Header: m.Header, Library: m.Library, Probe: m.Probe,
		Install: m.Install, Begin: m.Begin}
	for _, u := range m.Uses {
		out.Uses = append(out.Uses, model.Use{Name: u.Name, Import: cmp.Or(in.Imports[u.Name], u.Import)})
	}
	return out
}

// families puts the bound methods into the parts of the library.
func (b *binder) families() {
	methods := map[string][]string{} // by family
	for _, v := range b.pkg.Verbs {
		if f := b.in.Spec.Module.FamilyOf(v.C); f != nil {
			for _, m := range v.Methods {
				methods[f.Name] = append(methods[f.Name], m.Recv+"."+m.Name)
			}
		}
	}
	var all []model.Family
	for _, f := range b.in.Spec.Module.Families {
		if len(methods[f.Name]) > 0 {
			all = append(all, model.Family{Name: f.Name, Doc: f.Doc, Methods: methods[f.Name]})
		}
	}
	b.pkg.Module.Families = all
}

// errorf adds a problem at a place of the spec.
func (b *binder) errorf(code string, pos spec.Pos, subject, problem, fix string) {
	b.errs = append(b.errs, diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

// headerf adds a problem at a place of the header.
func (b *binder) headerf(code string, pos api.Pos, subject, problem, fix string) {
	b.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

// newer reports whether a name that the release lacks is one of a later known release: then it is left out in silence.
func (b *binder) newer(name string) bool {
	return b.in.Since(name) != ""
}
