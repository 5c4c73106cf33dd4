package main

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// configure takes over the settings of verbsgen.yaml in the folder of the package, if there is one. A flag that contradicts the file is an
// error: the two must not drift apart.
func (t *target) configure(cmd *cobra.Command) error {
	file := filepath.Join(t.out, spec.ConfigFile)
	data, err := regular.Read(file, output.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return diag.One(diag.New(diag.InputRead, file, 0, 0, spec.ConfigFile, "cannot be read: "+diag.Reason(err), inputFix(err)))
	}
	c, err := spec.ParseConfig(file, data)
	if err != nil {
		return err
	}
	var errs diag.List
	// set takes over a setting that is not empty.
	set := func(key, flag string, isSet, same bool, take func()) {
		if !isSet {
			return
		}
		if cmd.Flags().Changed(flag) && !same {
			errs.Add(diag.New(diag.ConfigFlag, file, c.Line[key], 1, key, "the flag --"+flag+" has another value",
				"change one of them, or remove the flag"))
		}
		take()
	}
	below := make([]string, len(c.Specs))
	for i, dir := range c.Specs {
		below[i] = input.Below(t.out, dir)
	}
	set("release", "release", c.Release != "", t.Release == c.Release, func() { t.Release = c.Release })
	set("module", "module", c.Module != "", t.Module == c.Module, func() { t.Module = c.Module })
	set("package", "pkg", c.Package != "", t.pkg.name == c.Package, func() { t.pkg = packageFlag{c.Package, true} })
	set("families", "families", len(c.Families) > 0, slices.Equal(t.parts, c.Families), func() { t.parts = c.Families })
	set("only", "only", len(c.Only) > 0, slices.Equal(t.only, c.Only), func() { t.only = c.Only })
	set("spec", "spec", len(below) > 0, slices.Equal(t.Specs, below), func() { t.Specs = below })
	set("import", "import", len(c.Imports) > 0, maps.Equal(t.imports, c.Imports), func() { t.imports = c.Imports })
	if t.Header != "" && c.Release != "" {
		errs.Add(diag.New(diag.ConfigFlag, file, c.Line["release"], 1, "release", "--header is given too", "remove one of them"))
	}
	if err := errs.Err(); err != nil {
		return err
	}
	if problem := output.PackageProblem(t.pkg.name); t.pkg.given && problem != "" {
		return diag.One(diag.New(diag.ConfigFlag, file, c.Line["package"], 1, "package", strings.TrimSpace(problem), "choose another name"))
	}
	return nil
}
