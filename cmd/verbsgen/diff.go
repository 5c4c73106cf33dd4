package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/apidiff"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/decide"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// diffReport is the form of `diff --json`.
type diffReport struct {
	Old string `json:"old"`
	New string `json:"new"`
	*apidiff.Diff
	Decide []string `json:"decide"` // what of the new one no page binds, skips or lists as pending
}

func (a *app) diffCmd() *cobra.Command {
	var src source
	var asJSON, asMD bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW [--json|--md]",
		Short: "list what a release adds, removes and changes",
		Long: `diff compares two releases, each given as a known release or as the path of a verbs.h. It also lists the
declarations of the new one that the pages must bind, skip or list as pending.

--json prints {old, new, added, removed, changed: [{kind, name, of?, old?, new?, pos}], decide: [names]}. The
members of a new or removed record or enum are not listed.`,
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
			sp, err := input.Pages(src.Source)
			if err != nil {
				return err
			}
			if err := input.CheckNames(src.Source, sp, rels[:]...); err != nil {
				return err
			}
			r := diffReport{Old: args[0], New: args[1], Diff: apidiff.Compare(rels[0], rels[1]), Decide: decide.All(rels[1], sp).UndecidedNames()}
			if asJSON {
				return writeJSON(a.out, r)
			}
			return writeDiff(a.out, r, asMD)
		}),
	}
	cmd.Flags().StringArrayVarP(&src.Include, "include", "I", nil, "look in this `folder` for what a header includes (repeatable)")
	src.moduleFlag(cmd)
	src.specFlag(cmd)
	formFlags(cmd, &asJSON, &asMD)
	return cmd
}

// writeDiff prints the differences, for a terminal or as Markdown.
func writeDiff(w io.Writer, r diffReport, md bool) error {
	var b strings.Builder
	head, item, code := "%s: %d\n", "  %s\n", ""
	if md {
		head, item, code = "\n## %s: %d\n\n", "- %s\n", "`"
		fmt.Fprintf(&b, "# %s to %s\n", r.Old, r.New)
	}
	section := func(title string, list []apidiff.Change, show func(apidiff.Change) string) {
		fmt.Fprintf(&b, head, title, len(list))
		for _, c := range list {
			kind := c.Kind + " "
			if c.Kind == apidiff.Record || c.Kind == apidiff.Enum {
				kind = "" // the name tells
			}
			fmt.Fprintf(&b, item, kind+code+c.Name+code+show(c))
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
