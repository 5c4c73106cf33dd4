package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
)

// generateFile is the hand-written file that init begins a package with.
const generateFile = "generate.go"

// toolPath is the import path of verbsgen.
const toolPath = "github.com/verbsgen/verbsgen/cmd/verbsgen"

func (a *app) initCmd() *cobra.Command {
	t := newTarget()
	cmd := &cobra.Command{
		Use:   "init [flags]",
		Short: "begin a package: a go:generate line and verbsgen.yaml",
		Long: `init begins a generated package in a folder of your module. It writes two files,
and overwrites none:

  verbsgen.yaml   the release, the package's name, and which parts of the
                  library it binds
  generate.go     the line  //go:generate go tool verbsgen generate

If the folder already has Go files, the package takes the name that they
declare. If they are a program, name another folder with -o, such as -o rdma.
Then run

  go get -tool github.com/verbsgen/verbsgen/cmd/verbsgen   # once
  go generate ./...
  go mod tidy

"verbsgen help generate" explains the settings of verbsgen.yaml. Editors can
check that file by docs/verbsgen.schema.json in the source of verbsgen.`,
		Args: takes(0, 0),
		RunE: do(func(*cobra.Command, []string) error {
			if err := t.check(); err != nil {
				return err
			}
			return a.initPackage(t)
		}),
	}
	f := cmd.Flags()
	t.moduleFlag(cmd)
	f.StringVar(&t.Release, "release", "", "facts of this rdma-core `release` (default: the newest known)")
	f.Var(&t.only, "only", "bind only the C functions that match these `globs`, and what they need (default: all)")
	f.Var(&t.parts, "families", "bind these parts of the library, such as `memory,queue-pairs` (default: all)")
	f.Var(&t.pkg, "pkg", "`name` of the Go package (default: that of the folder's Go files, else that of the module)")
	f.StringVarP(&t.out, "output", "o", ".", "`folder` of the Go package")
	return cmd
}

// initPackage writes the two files.
func (a *app) initPackage(t target) error {
	t.pkg.name = cmp.Or(t.pkg.name, packageIn(t.out))
	b, err := build(t) // what generate would refuse
	if err != nil {
		return err
	}
	pkg := b.pkg.Name
	if err := output.CheckTarget(t.out, b.files, pkg); err != nil {
		return err
	}
	if err := os.MkdirAll(t.out, 0o777); err != nil {
		return cannotWrite(t.out, err)
	}
	var c strings.Builder
	c.WriteString("# What verbsgen generate writes here. Every setting is also a flag: verbsgen help generate.\n")
	if t.Module != "" && t.Module != spec.DefaultModule {
		fmt.Fprintf(&c, "module: %s\n", t.Module)
	}
	fmt.Fprintf(&c, "release: %q\npackage: %s\n", b.release, pkg)
	for _, list := range []struct {
		key    string
		values []string
	}{{"families", t.parts}, {"only", t.only}} {
		if len(list.values) > 0 {
			fmt.Fprintf(&c, "%s: [\"%s\"]\n", list.key, strings.Join(list.values, `", "`))
		}
	}
	goFile := "package " + pkg + "\n\n//go:generate go tool verbsgen generate\n"
	files := []struct{ name, text string }{{spec.ConfigFile, c.String()}, {generateFile, goFile}}
	for _, f := range files { // both or none
		if _, err := os.Lstat(filepath.Join(t.out, f.name)); err == nil {
			return exists(filepath.Join(t.out, f.name))
		}
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(t.out, f.name), f.text); err != nil {
			return err
		}
		fmt.Fprintln(a.out, "wrote", filepath.Join(t.out, f.name))
	}
	fmt.Fprintln(a.out, "next:")
	if !output.HasTool(t.out, toolPath) {
		fmt.Fprintln(a.out, "  go get -tool "+toolPath+"   # once")
	}
	fmt.Fprint(a.out, "  go generate ./...\n  go mod tidy\n")
	return nil
}

// packageIn is the package of the Go files of a folder; empty without one.
func packageIn(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err == nil && output.PackageProblem(input.PackageName(data)) == "" {
			return input.PackageName(data)
		}
	}
	return ""
}

// writeNew writes a file that must not exist.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exists(file)
	}
	if err != nil {
		return cannotWrite(file, err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return cannotWrite(file, err)
	}
	return nil
}

func exists(file string) error {
	return diag.One(diag.New(diag.InitExists, file, 0, 0, "init", "the file exists", "edit it, or move it away"))
}

func cannotWrite(file string, err error) error {
	return diag.One(diag.New(diag.OutputWrite, file, 0, 0, "output", "cannot be written: "+diag.Reason(err),
		"name a folder that can be written to"))
}
