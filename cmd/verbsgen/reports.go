package main

import (
	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/coverage"
)

func (a *app) coverageCmd() *cobra.Command {
	var src source
	var asJSON, asMD, names bool
	cmd := &cobra.Command{
		Use:   "coverage [flags]",
		Short: "count bound, skipped and pending declarations, and tested rules",
		Long: `coverage counts, for a release or a header, the declarations that the pages
bind, skip with a reason, or leave pending. For each page it counts the rules,
those that are tested (their accept and reject cases are right), and what is
needed to check them. For counts by verb, see verbsgen rules --check.

--json prints {release, functions, records, enums, macros: [{name, status:
bound|skipped|pending, reason, page}], rules: {total, by_page: {page: n},
tested, untested: [ids]}}; release is null with --header. A declaration that no
page binds, skips or lists has the status undecided.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if err := src.check(); err != nil {
				return err
			}
			rel, sp, err := input.Load(src.Source)
			if err != nil {
				return err
			}
			r := coverage.New(rel, sp)
			switch {
			case asJSON:
				return writeJSON(a.out, r)
			case asMD:
				return r.Markdown(a.out)
			}
			return r.Text(a.out, names)
		}),
	}
	src.factFlags(cmd)
	src.specFlag(cmd)
	formFlags(cmd, &asJSON, &asMD)
	cmd.Flags().BoolVar(&names, "names", false, "in text form, list every declaration that is not bound")
	return cmd
}
