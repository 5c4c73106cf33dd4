package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/apidiff"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// diffReport is the form of `diff --json`.
type diffReport struct {
	Old     string `json:"old"`
	New     string `json:"new"`
	Summary string `json:"summary"`
	*apidiff.Diff
	Decide []string `json:"decide"` // what of the new one no page binds, skips or lists as pending
}

func (a *app) diffCmd() *cobra.Command {
	var src source
	var asJSON, asMD, exitCode bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW [--json|--md]",
		Short: "list what a release adds, removes and changes",
		Long: `diff compares two versions of verbs.h. Give each as a release of rdma-core that
verbsgen knows, or as the path of a header. diff also lists the new declarations
on which verbsgen's pages do not decide yet (each is to be bound, skipped or
listed as pending), and says what each difference means for the Go package.
Fields that only moved, since their record has new fields before them, are not
listed.

v65.0 and 65 are names of 65.0. --exit-code exits 1 if there are differences,
for scripts.

--json prints {old, new, summary, added, removed, changed: [{kind, name, of?,
old?, new?, go?, pos}], decide: [names]}. The members of a new or removed record
or enum are not listed.`,
		Args: takes(2, 2),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			m, err := spec.ModuleOf(src.Module, src.Specs...)
			if err != nil {
				return err
			}
			var rels [2]*api.Release
			for i, arg := range args {
				one := source{input.Source{Include: src.Include, Release: arg}}
				if strings.ContainsRune(arg, '/') || strings.HasSuffix(arg, ".h") {
					one.Release, one.Header = "", arg
				}
				rel, err := input.Facts(one.Source, m)
				if err != nil {
					return err
				}
				rels[i] = rel
			}
			sp, err := spec.Embedded(src.Module, src.Specs...)
			if err != nil {
				return err
			}
			if err := input.CheckNames(src.Source, sp, rels[:]...); err != nil {
				return err
			}
			r := diffReport{Old: nameOr(rels[0], args[0]), New: nameOr(rels[1], args[1]), Diff: apidiff.Compare(rels[0], rels[1]),
				Decide: bind.Decide(rels[1], sp).LeftOut(bind.Named)}
			r.Summary = r.Diff.Summary()
			r.FillGo(sp, r.Decide, m.NewFacts(rels[1]))
			if asJSON {
				err = writeJSON(a.out, r)
			} else {
				err = writeDiff(a.out, r, asMD)
			}
			if err == nil && exitCode && !r.Empty() {
				err = diag.One(diag.New(diag.ReleasesDiffer, "", 0, 0, "--exit-code", r.Old+" and "+r.New+" differ", "read the report"))
			}
			return err
		}),
	}
	cmd.Flags().StringArrayVarP(&src.Include, "include", "I", nil, "look in this `folder` for what a header includes (repeatable)")
	src.moduleFlag(cmd)
	src.specFlag(cmd)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 1 if there are differences")
	formFlags(cmd, &asJSON, &asMD)
	return cmd
}

// nameOr is the name of a release, or what a header was given as.
func nameOr(rel *api.Release, arg string) string { return cmp.Or(rel.Release, arg) }

// writeDiff prints the differences, for a terminal or as Markdown.
func writeDiff(w io.Writer, r diffReport, md bool) error {
	var b strings.Builder
	head, item, code, means := "%s: %d\n", "  %s\n", "", "\n    Go: "
	if md {
		head, item, code, means = "\n## %s: %d\n\n", "- %s\n", "`", "; Go: "
		fmt.Fprintf(&b, "# %s to %s\n\n", r.Old, r.New)
	}
	fmt.Fprintln(&b, r.Summary)
	section := func(title string, list []apidiff.Change, show func(apidiff.Change) string) {
		fmt.Fprintf(&b, head, title, len(list))
		for _, c := range list {
			kind := c.Kind + " "
			if c.Kind == apidiff.Record || c.Kind == apidiff.Enum {
				kind = "" // the name tells
			}
			fmt.Fprintf(&b, item, kind+code+c.Name+code+show(c)+means+c.Go)
		}
	}
	quoted := func(s string) string {
		if s == "" {
			return ""
		}
		return ": " + code + s + code
	}
	section("added", r.Added, func(c apidiff.Change) string { return quoted(c.New) })
	section("removed", r.Removed, func(c apidiff.Change) string { return quoted(c.Old) })
	section("changed", r.Changed, func(c apidiff.Change) string { return quoted(c.Old) + " ->" + strings.TrimPrefix(quoted(c.New), ":") })
	fmt.Fprintf(&b, head, "to be decided by a page", len(r.Decide))
	for _, name := range r.Decide {
		fmt.Fprintf(&b, item, code+name+code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
