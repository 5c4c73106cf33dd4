package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
)

// group is a task, with the commands for it.
type group struct {
	title    string
	commands []*cobra.Command
}

// groupOther is the title of the group of help.
const groupOther = "Other commands"

func (a *app) groups() []group {
	return []group{
		{"Generate a package", []*cobra.Command{a.initCmd(), a.generateCmd(), a.checkCmd()}},
		{"Judge calls by the rules", []*cobra.Command{a.explainCmd(), a.rulesCmd(), a.vetCmd()}},
		{"Follow rdma-core", []*cobra.Command{a.diffCmd(), a.inventoryCmd(), a.coverageCmd(), a.auditCmd(), a.importCmd(), a.scaffoldCmd()}},
		{groupOther, []*cobra.Command{a.reportCmd(), a.completionCmd(), a.manCmd(), a.versionCmd()}},
	}
}

func (a *app) generateCmd() *cobra.Command {
	t := newTarget()
	cmd := &cobra.Command{
		Use:   "generate [flags]",
		Short: "write the Go package",
		Long: `generate writes a Go package into a folder. The package binds the functions of a
release of rdma-core, or of a header of your own.

The files it writes begin with "` + output.Banner + `"
and are named *.gen.go, *.gen_test.go, *.gen.c or *.gen.h. Other files in the
folder are not changed. If one of them has the name of a generated file, or is a
Go file that declares a generated name, that is an error and nothing is written.
Files of an earlier run that are no longer generated are removed.

Runs that write to one folder at the same time wait for each other, where the
file system has locks. If a run is killed, its generated files are either all
old or all new, or the folder has a file unfinished.gen.go. That file does not
compile, so nobody uses the half-written package. "verbsgen check" reports it,
and the next run repairs the folder.

With --header, verbsgen computes the layout of each struct and union for amd64
and arm64, and compares it with that of the C compilers that it finds: $CC, cc,
gcc or clang for this architecture, and x86_64-linux-gnu-gcc,
aarch64-linux-gnu-gcc or clang for the other. A difference is an error, and so
is an __attribute__ that verbsgen does not know. A note on stderr names each
architecture without a compiler, and each macro that is left out because its
value differs between the architectures. verbsgen has its own copies of common
libc and kernel headers. If a header needs more, verbsgen reads it with the
headers of -I and of the compiler instead, and a note says so.
verbsgen binds the declarations of the header and of other headers in its
folder. From headers elsewhere it takes only the types that the bound
declarations use.

The output depends only on the header's declarations and on the pages: it is the
same, byte for byte, on every machine. A typical line in a hand-written file of
the folder:

  //go:generate go tool verbsgen generate --pkg rdma --only ibv_*_dm,ibv_reg_mr

For this line, verbsgen must be a tool of the module. Run once

  go get -tool github.com/verbsgen/verbsgen/cmd/verbsgen

The generated code imports packages of github.com/verbsgen/verbsgen: run go mod
tidy after the first go generate.

--only takes C function names in which * matches any characters, --families
names parts of the library. What these functions need (types, the functions that
close their objects) is added automatically. The families of verbs are

FAMILIES

A file verbsgen.yaml in the folder may have the settings release, module,
package, families, only, spec and import, so that flags are not needed; verbsgen
init writes one. A flag that contradicts the file is an error.

A function, type, field, enumerator or constant of the header that no page
binds, skips or lists as pending is an error: the header is newer than the
pages. --allow-undecided leaves such a declaration out and prints its name and
place: a function, type or constant is not generated, and a field keeps its
bytes, so that the layout stays right, but has no Go name.

--spec DIR reads more pages from the *.yaml files of a folder:

  page: NAME      a page, in a file NAME.yaml; it replaces verbsgen's own page
                  of this name
  extends: NAME   adds to a page: fields, hidden fields, members, methods,
                  rules, and whole entries
  pending.yaml    names to leave out, besides those of verbsgen's own
                  pending.yaml

For example, to show one new field and hide another:

  extends: ibv_query_device_ex
  records:
    DeviceInfoEx:
      fields:
        max_widgets: {go: MaxWidgets, doc: number of widgets}
      hide:
        widget_caps: not needed here

spec/REFERENCE.md explains the keys of pages, and what to do when a header is
newer than the pages.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			err := t.begin()
			if err == nil {
				err = t.configure(cmd)
			}
			if err == nil {
				err = a.generate(t)
			}
			return err
		}),
	}
	families := wrap("  "+strings.Join(familyNames(spec.DefaultModule), ", ")+"\n", helpWidth)
	cmd.Long = strings.Replace(cmd.Long, "FAMILIES", strings.TrimSuffix(families, "\n"), 1)
	t.flags(cmd)
	return cmd
}

// begin checks the flags, and the pages of a clone.
func (t *target) begin() (err error) {
	if err = t.check(); err == nil {
		t.Edited, err = clonePages()
	}
	return err
}

// note keeps what is no error, for tellNotes: an error is told alone.
func (a *app) note(text string) {
	if !slices.Contains(a.notes, text) {
		a.notes = append(a.notes, text)
	}
}

func (a *app) tellNotes() {
	for _, text := range a.notes {
		fmt.Fprintln(a.err, "note: "+text)
	}
}

// familyNames are the parts of the library of a module.
func familyNames(module string) []string {
	m, err := spec.ModuleOf(module)
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range m.Families {
		names = append(names, f.Name)
	}
	return names
}

// generate writes the package and tells on stdout what it did.
func (a *app) generate(t target) error {
	start := time.Now()
	t.Note = a.note
	b, err := build(t)
	if err != nil {
		return err
	}
	if err := output.CheckTarget(t.out, b.files, b.pkg.Name); err != nil {
		return err
	}
	write := output.Write
	if os.Getenv("GOFILE") != "" { // go generate still wants to read the files that it found
		write = output.WriteKeeping
	}
	res, err := write(t.out, b.files)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "package %s from %s: %s\n", b.pkg.Name, b.from(), b.counts())
	fmt.Fprintf(a.out, "%s in %s, %d ms\n", res.Summary(), t.out, time.Since(start).Milliseconds())
	fmt.Fprint(a.out, b.leftOut())
	a.tellNotes()
	return nil
}

func (a *app) checkCmd() *cobra.Command {
	t := newTarget()
	cmd := &cobra.Command{
		Use:   "check [flags]",
		Short: "report generated files that are out of date",
		Long: `check generates in memory and compares with the files on disk: it prints a
unified diff, and names each file that differs, is missing or is left over. It
writes nothing, and exits 1 when a file is out of date.

If you run check or generate in a clone of verbsgen whose pages differ from
those built into the command, the command only says so.

It takes the flags of generate. Without any flag it follows the go:generate
lines that run "verbsgen generate" in the Go files of this folder and those
below it; if there is none, it checks this folder with the defaults of generate.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			err := t.begin()
			if err != nil {
				return err
			}
			var targets []target
			if cmd.Flags().NFlag() == 0 {
				if targets, err = directiveTargets("."); err != nil {
					return err
				}
			}
			if len(targets) == 0 {
				if err := t.configure(cmd); err != nil {
					return err
				}
				targets = []target{t}
			}
			for i := range targets {
				targets[i].Edited = t.Edited
			}
			return a.check(targets)
		}),
	}
	t.flags(cmd)
	return cmd
}

// directiveTargets reads the flags of all go:generate lines of ours below a folder.
func directiveTargets(dir string) ([]target, error) {
	found, err := findDirectives(dir)
	if err != nil {
		return nil, err
	}
	var targets []target
	var errs diag.List
	for _, d := range found {
		t, err := d.target()
		if err != nil {
			errs.AddErr(err)
			continue
		}
		targets = append(targets, t)
	}
	return targets, errs.Err()
}

// check compares each target with what is on disk. The error lists what is stale in any of them.
func (a *app) check(targets []target) error {
	var stale diag.List
	for _, t := range targets {
		t.Note = a.note
		b, err := build(t)
		if err != nil {
			return err
		}
		r, err := output.Check(t.out, b.files)
		if err != nil {
			return err
		}
		fmt.Fprint(a.out, r.Diff)
		stale = append(stale, r.Stale...)
		if len(r.Stale) == 0 {
			fmt.Fprintf(a.out, "package %s in %s is up to date with %s: %d files\n", b.pkg.Name, t.out, b.from(), len(b.files))
			fmt.Fprint(a.out, b.leftOut())
		}
	}
	if len(stale) == 0 {
		a.tellNotes()
	}
	return stale.Err()
}
