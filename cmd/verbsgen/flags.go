package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
)

// source has the flags that say where facts and pages come from.
type source struct{ input.Source }

// moduleFlag adds the flag that chooses the module.
func (s *source) moduleFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.Module, "module", "",
		"`name` of the module: "+strings.Join(spec.Modules(), " or ")+" (default: that of --spec, or "+spec.DefaultModule+")")
}

// factFlags adds the flags that choose the facts.
func (s *source) factFlags(cmd *cobra.Command) {
	s.moduleFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&s.Release, "release", "", "facts of this rdma-core `release` (default: the newest known)")
	f.StringVar(&s.Header, "header", "", "read this `file` (verbs.h, or that of the module) instead of stored facts")
	f.StringArrayVarP(&s.Include, "include", "I", nil, "look in this `folder` for what --header includes (repeatable)")
	exclusive(cmd, "release", "header")
}

// specFlag adds the flag that adds pages.
func (s *source) specFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.Specs, "spec", nil, "read more pages from this `folder`: they replace pages, or add to them (repeatable)")
}

// check finds what flag parsing alone does not.
func (s *source) check() error {
	if s.Header == "" && len(s.Include) > 0 {
		return usagef("-I needs --header")
	}
	return nil
}

// target says what to generate, and where to.
type target struct {
	source
	only    globs             // of C functions; empty: all
	parts   globs             // families of C functions
	pkg     packageFlag       // else that of the module
	imports map[string]string // module -> import path of its Go package
	out     string
	allow   bool // leave undecided declarations out instead of refusing them
	abi     bool // take a header that contradicts what all known releases agree on
}

// globs is a flag of patterns with commas between them, which may come several times. Unlike the flag of package
// pflag for such lists it keeps an empty pattern, for check to refuse.
type globs []string

func (g *globs) Set(text string) error {
	*g = append(*g, strings.Split(text, ",")...)
	return nil
}

func (g *globs) String() string { return strings.Join(*g, ",") }
func (g *globs) Type() string   { return "globs" }

// packageFlag is the name of a Go package, as far as it is given.
type packageFlag struct {
	name  string
	given bool
}

func (p *packageFlag) Set(text string) error {
	p.name, p.given = text, true
	return nil
}

func (p *packageFlag) String() string { return p.name }
func (p *packageFlag) Type() string   { return "name" }

// newTarget holds the defaults.
func newTarget() target { return target{out: "."} }

// flags adds the flags of generate and check.
func (t *target) flags(cmd *cobra.Command) {
	t.factFlags(cmd)
	t.specFlag(cmd)
	t.outFlags(cmd.Flags())
}

func (t *target) outFlags(f *pflag.FlagSet) {
	f.Var(&t.only, "only", "bind only the C functions that match these `globs`, and what they need (default: all)")
	f.Var(&t.parts, "families", "bind these parts of the library, such as `memory,queue-pairs` (default: all)")
	f.Var(&t.pkg, "pkg", "`name` of the Go package (default: that of the module, such as verbs)")
	f.StringToStringVar(&t.imports, "import", nil,
		"import path of the Go package of a module that this one uses, as `verbs=PATH` (repeatable)")
	f.Lookup("import").DefValue = "" // pflag would print []
	f.StringVarP(&t.out, "output", "o", ".", "`folder` of the Go package")
	f.BoolVar(&t.allow, "allow-undecided", false, "leave out what no page binds, skips or lists, and print its name")
	f.BoolVar(&t.abi, "allow-changed-abi", false,
		"take a --header that lacks names that every known release has, or has other values or layouts")
}

// check finds what flag parsing alone does not.
func (t *target) check() error {
	if problem := output.PackageProblem(t.pkg.name); t.pkg.given && problem != "" {
		return usagef("--pkg %q%s", t.pkg.name, problem)
	}
	for _, g := range t.only {
		if strings.TrimSpace(g) == "" {
			return usagef("--only has an empty pattern")
		}
	}
	for _, f := range t.parts {
		if strings.TrimSpace(f) == "" {
			return usagef("--families has an empty name")
		}
	}
	if t.out == "" {
		return usagef("-o needs a folder")
	}
	if at, err := os.Stat(t.out); err == nil && !at.IsDir() {
		return usagef("-o %s is a file; name a folder", t.out)
	}
	return t.source.check()
}

// below makes the relative paths of t count from a folder.
func (t *target) below(dir string) {
	t.Below(dir)
	t.out = input.Below(dir, t.out)
}
