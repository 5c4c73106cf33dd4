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
	differs := func(key, flag string) {
		errs.Add(diag.New(diag.ConfigFlag, file, c.Line[key], 1, key, "the flag --"+flag+" has another value",
			"change one of them, or remove the flag"))
	}
	one := func(key, flag, value string, to *string) {
		if value == "" {
			return
		}
		if cmd.Flags().Changed(flag) && *to != value {
			differs(key, flag)
		}
		*to = value
	}
	many := func(key, flag string, values []string, to *globs) {
		if len(values) == 0 {
			return
		}
		if cmd.Flags().Changed(flag) && !slices.Equal(*to, values) {
			differs(key, flag)
		}
		*to = values
	}
	one("release", "release", c.Release, &t.Release)
	one("module", "module", c.Module, &t.Module)
	one("package", "pkg", c.Package, &t.pkg.name)
	t.pkg.given = t.pkg.given || c.Package != ""
	many("families", "families", c.Families, &t.parts)
	many("only", "only", c.Only, &t.only)
	if len(c.Specs) > 0 {
		below := make([]string, len(c.Specs))
		for i, dir := range c.Specs {
			below[i] = input.Below(t.out, dir)
		}
		if cmd.Flags().Changed("spec") && !slices.Equal(t.Specs, below) {
			differs("spec", "spec")
		}
		t.Specs = below
	}
	if len(c.Imports) > 0 {
		if cmd.Flags().Changed("import") && !maps.Equal(t.imports, c.Imports) {
			differs("import", "import")
		}
		t.imports = c.Imports
	}
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
