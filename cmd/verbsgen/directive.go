package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// directive is one go:generate line that runs `verbsgen generate`.
type directive input.Directive

// findDirectives looks for go:generate lines of ours in the Go files of a folder and those below it, but for nested
// modules and the folders that the go command skips.
func findDirectives(dir string) ([]directive, error) {
	var found []directive
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at == dir:
			return err
		case err != nil:
			return nil // a folder that cannot be read is not one of the package's
		case e.IsDir():
			if at != dir && skipDir(at, e.Name()) {
				return filepath.SkipDir
			}
			return nil
		case !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") || strings.HasPrefix(e.Name(), "."):
			return nil
		}
		data, err := regular.Read(at, output.MaxFile)
		if err != nil {
			return nil
		}
		for _, x := range input.DirectivesIn(at, data) {
			found = append(found, directive(x))
		}
		return nil
	})
	return found, err
}

// skipDir reports whether a folder below the first does not belong to the module.
func skipDir(at, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(at, "go.mod"))
	return !errors.Is(err, fs.ErrNotExist)
}

// target reads the flags of a directive; paths then count from the folder of the command.
func (d directive) target() (target, error) {
	t := newTarget()
	cmd := &cobra.Command{Use: "generate", SilenceErrors: true, SilenceUsage: true}
	t.flags(cmd)
	err := d.Err
	if err == nil {
		err = cmd.ParseFlags(d.Args)
	}
	if err == nil && cmd.PreRunE != nil {
		err = cmd.PreRunE(cmd, nil)
	}
	if err == nil {
		err = takes(0, 0)(cmd, cmd.Flags().Args())
	}
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return t, diag.One(diag.New(diag.Directive, d.File, d.Line, 1, "go:generate", err.Error(), "see `verbsgen generate --help`"))
	}
	t.below(d.Dir)
	return t, t.configure(cmd)
}
