package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
	"github.com/verbsgen/verbsgen/spec"
)

// listedRun is how many pieces the runs have that --passages lists.
const listedRun = 4

func (a *app) auditCmd() *cobra.Command {
	var src source
	var man, page string
	cmd := &cobra.Command{
		Use:   "audit [--man DIR] [flags]",
		Short: "compare the pages with the header and the man pages",
		Long: `audit lists what needs attention: declarations of the header that no page binds,
skips or lists as pending, and with --man the rules and notes whose passage has
moved or is gone.

--man takes a folder of man pages (*.3, *.3.gz), or one with a man3 folder in
it, such as /usr/share/man; or the man folder of a library in the source of
rdma-core, where some are *.3.md. Pages in Markdown need pandoc, and all pages
are rendered by groff or mandoc. The pages of verbsgen follow release 65.0: with
older man pages, or an older pandoc, some passages are reported as missing
although nothing is wrong.

--passages is for the author of a rule: it only lists the sentences and lines of
one man page, each with its hash and the hashes of the runs that begin with it.
A + marks those that a rule, a note or a statement that is left out cites.

It exits 1 when something needs attention.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if err := src.check(); err != nil {
				return err
			}
			rel, sp, err := input.Load(src.Source)
			if err != nil {
				return err
			}
			if page != "" {
				return a.listPassages(cmd.Context(), sp, man, page)
			}
			d := bind.Decide(rel, sp)
			found := diag.From(d.UndecidedErr())
			fmt.Fprintf(a.out, "%d functions, %d records, %d enums, %d macros: %d undecided\n",
				len(d.Functions), len(d.Records), len(d.Enums), len(d.Macros), len(found))
			if man != "" {
				tool, err := audit.FindTool()
				if err != nil {
					return diag.One(diag.New(diag.ManTool, man, 0, 0, "--man", "neither groff nor mandoc is installed", "install groff-base or mandoc"))
				}
				if err := readableFolder(man); err != nil {
					return err
				}
				report, err := tool.Audit(cmd.Context(), sp.Pages, man)
				if err != nil {
					return diag.One(diag.New(diag.ManRead, man, 0, 0, "--man", err.Error(), "name a folder of man pages"))
				}
				if report.Empty() {
					return diag.One(diag.New(diag.ManRead, man, 0, 0, "--man",
						fmt.Sprintf("none of the %s that rules cite was found", plural(len(report.Absent), "page")),
						"name a folder with ibverbs man pages (*.3, *.3.gz, *.3.md), or with a man3 folder of them"))
				}
				found = append(found, a.passages(report)...)
			}
			return found.Err()
		}),
	}
	src.factFlags(cmd)
	src.specFlag(cmd)
	cmd.Flags().StringVar(&man, "man", "", "look for the passages of rules in the man pages of this `folder`")
	cmd.Flags().StringVar(&page, "passages", "", "list the passages of this `page` with their hashes (needs --man)")
	return cmd
}

// readableFolder refuses what is no folder of man pages before anything is rendered.
func readableFolder(dir string) error {
	_, err := os.ReadDir(dir)
	if err == nil {
		return nil
	}
	return diag.One(diag.New(diag.ManRead, dir, 0, 0, "--man", "cannot be read: "+diag.Reason(err), "name a folder of man pages"))
}

// passages prints the counts of a report and gives what has to be looked at.
func (a *app) passages(r *audit.Report) diag.List {
	fmt.Fprintf(a.out, "%d passages, by %s: %d found, %d moved, %d missing, %d on a page that is missing, %d with another source\n",
		len(r.Entries), r.Tool, r.Count(audit.Found), r.Count(audit.Moved), r.Count(audit.Missing), r.Count(audit.NoPage), r.Count(audit.OffPage))
	for _, p := range r.Absent {
		fmt.Fprintf(a.out, "no page %s(3)\n", p)
	}
	var found diag.List
	for _, e := range r.Entries {
		page := e.Page + "(3)"
		add := func(code diag.Code, problem, fix string) {
			found.Add(diag.At(code, e.Pos, e.ID, problem, fix))
		}
		switch e.Status {
		case audit.Moved:
			add(diag.PassageMoved, fmt.Sprintf("its passage is in section %q of %s, not in %q", e.Now, page, e.Section), "correct section:")
		case audit.Missing:
			add(diag.PassageMissing, "its passage is not on "+page+" any more", "read the page again, then correct the rule and passage:")
		}
	}
	return found
}

// listPassages prints the pieces of a page, by section, with the hashes that a rule may name; it marks those that are cited.
func (a *app) listPassages(ctx context.Context, sp *spec.Spec, man, page string) error {
	if man == "" {
		return usagef("--passages needs --man")
	}
	list, err := audit.Passages(ctx, man, page)
	if err != nil {
		return diag.One(diag.New(diag.ManRead, man, 0, 0, "--passages "+page, err.Error(), "name a page without its section, such as ibv_reg_mr"))
	}
	cited := audit.Cited(sp.Pages, page, list)
	section := ""
	for i, p := range list {
		if p.Section != section {
			section = p.Section
			fmt.Fprintf(a.out, "%s\n", section)
		}
		if p.First == p.Last {
			mark := " "
			if cited[i] {
				mark = "+"
			}
			fmt.Fprintf(a.out, "%s %d %s %s\n", mark, p.First, p.Hash, p.Text)
			continue
		}
		if p.Last-p.First >= listedRun {
			continue
		}
		fmt.Fprintf(a.out, "    to %d %s", p.Last, p.Hash)
		if p.Last-p.First == listedRun-1 || i+1 == len(list) || list[i+1].First != p.First || list[i+1].Section != p.Section {
			fmt.Fprintln(a.out)
		}
	}
	return nil
}
