// Package vet has the analyzers of `verbsgen vet`, for other programs that run analyzers: a golangci-lint with plugins, or a checker of
// your own. docs/vet.md says what they report and how to build such a program.
package vet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/tools/go/analysis"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/vet"
	"github.com/verbsgen/verbsgen/spec"
)

// Analyzers returns the analyzers. They share the pages that they load, and need facts: the packages that a package imports are
// analysed before it.
func Analyzers() []*analysis.Analyzer { return vet.Analyzers(load) }

// load returns what a generated package was made from: by its go:generate line if it has one, or else what its mark names.
func load(o *vet.Origin) (*explain.Checker, *model.Package, error) {
	src := input.Source{Module: o.Module, Release: o.Release}
	for _, d := range input.DirectivesIn(o.File, []byte(strings.Join(o.Lines, "\n"))) {
		at, err := sourceOf(d)
		if err == nil && cmp.Or(at.Module, o.Module) == o.Module {
			src.Header, src.Include, src.Specs = at.Header, at.Include, at.Specs
			if at.Header != "" {
				src.Release = ""
			}
		}
	}
	if !slices.Contains(spec.Modules(), o.Module) { // the pages that the line names say which one it is
		if src.Module = ""; len(src.Specs) == 0 {
			return nil, nil, fmt.Errorf("no go:generate line of the package names the pages of its module %s with --spec", o.Module)
		}
	}
	rel, sp, err := input.Load(src)
	if err != nil {
		return nil, nil, err
	}
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: sp.Module.Package, Generated: true})
	if err != nil {
		return nil, nil, err
	}
	return explain.New(sp, rel), pkg, nil
}

// sourceOf reads the flags of a directive that say what the package is made from. Its other flags are not looked at.
func sourceOf(d input.Directive) (src input.Source, err error) {
	f := pflag.NewFlagSet("generate", pflag.ContinueOnError)
	f.ParseErrorsAllowlist.UnknownFlags = true
	f.StringVar(&src.Module, "module", "", "")
	f.StringVar(&src.Header, "header", "", "")
	f.StringArrayVarP(&src.Include, "include", "I", nil, "")
	f.StringArrayVar(&src.Specs, "spec", nil, "")
	if err = d.Err; err == nil {
		err = f.Parse(d.Args)
	}
	src.Below(d.Dir)
	return src, err
}
