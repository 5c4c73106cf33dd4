package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// built is a package in memory.
type built struct {
	release string // empty for a header
	files   []output.File
	pkg     *model.Package
	rules   int
	pages   int
	left    []string // what no page decides, by place and name
}

// build runs the pipeline.
func build(t target) (*built, error) {
	rel, sp, err := input.Load(t.Source)
	if err != nil {
		return nil, err
	}
	only, err := selected(rel, sp, t)
	if err != nil {
		return nil, err
	}
	path, err := output.ImportPath(t.out)
	if err != nil {
		return nil, diag.One(diag.New(diag.OutputWrite, t.out, 0, 0, "output", "its module cannot be read: "+diag.Reason(err),
			"put a regular file go.mod there, or name another folder with -o"))
	}
	files, pkg, err := generate.Run(rel, sp, generate.Options{Package: cmp.Or(t.pkg.name, sp.Module.Package),
		Path: path, Imports: t.imports,
		Only: only, AllowUndecided: t.allow, AllowChanged: t.abi, Header: t.Header,
		Foreign: t.Header != "" || len(t.Specs) > 0})
	if err != nil {
		return nil, err
	}
	pages := map[string]bool{}
	for _, v := range pkg.Verbs {
		pages[sp.VerbByC(v.C).Page] = true
	}
	return &built{release: rel.Release, files: files, pkg: pkg, rules: len(pkg.Rules), pages: len(pages),
		left: bind.Decide(rel, sp).LeftOut(func(at api.Pos, name string) string { return at.Short() + ": " + name })}, nil
}

// selected are the functions to bind, as globs: those of the families that the release has, and those of --only. None means all.
func selected(rel *api.Release, sp *spec.Spec, t target) ([]string, error) {
	if err := sp.Module.CheckFamilies(t.parts); err != nil || len(t.parts) == 0 {
		return t.only, err
	}
	only := slices.Clone(t.only)
	for _, f := range rel.Functions {
		if of := sp.FamilyOf(f.Name); of != nil && slices.Contains(t.parts, of.Name) && sp.VerbByC(f.Name) != nil {
			only = append(only, f.Name)
		}
	}
	if len(only) == 0 {
		return nil, diag.One(diag.New(diag.OnlyNoMatch, "", 0, 0, "--families "+t.parts.String(),
			"the release has no function of them", "choose another release"))
	}
	return only, nil
}

// from names the facts.
func (b *built) from() string {
	if b.release == "" {
		return "the header"
	}
	return "release " + b.release
}

// counts says what the package holds.
func (b *built) counts() string {
	return fmt.Sprintf("%s, %s, %s, %s, %s of %s", plural(len(b.pkg.Verbs), "function"), plural(len(b.pkg.Records), "record"),
		plural(len(b.pkg.Enums), "enum"), plural(len(b.pkg.Objects), "object"), plural(b.rules, "rule"), plural(b.pages, "page"))
}

// leftOut lists what the package lacks because no page decides on it; empty when it lacks nothing.
func (b *built) leftOut() string {
	if len(b.left) == 0 {
		return ""
	}
	return fmt.Sprintf("%s left out, which no page decides on:\n  %s\n", plural(len(b.left), "declaration"), strings.Join(b.left, "\n  "))
}
