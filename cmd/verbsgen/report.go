package main

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"

	"github.com/fatih/color"
	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/templates"
)

func (a *app) reportCmd() *cobra.Command {
	var out string
	var all, strict bool
	cmd := &cobra.Command{
		Use:   "report FILE... [flags]",
		Short: "summarize reports of the conformance suite",
		Long: `report reads reports that the conformance suite wrote (go test ./conformance -args -report FILE). It prints a
line for each report, and the cases that a device does wrong, with the reasons. "unsupported" means that the
device lacks what the case needs, "broken" that it does it wrong, and "known defect" that the failure is
listed as a defect of the provider or the kernel. --strict exits 1 if a case is broken.

--all prints every case as Markdown: a column for each device, a row for each family of cases, and below it a
row for each case. -o writes the same as a web page (.html) or as Markdown (.md).`,
		Args: takes(1, 64),
		RunE: do(func(_ *cobra.Command, args []string) error {
			html := filepath.Ext(out) == ".html"
			if out != "" && !html && filepath.Ext(out) != ".md" {
				return usagef("-o %s: the name must end in .html or .md", out)
			}
			m, err := readReports(args)
			if err != nil {
				return err
			}
			switch {
			case out != "":
				err = writeMatrix(m, out, html)
			case all:
				err = m.Markdown(a.out)
			default:
				err = a.show(m.Summary(a.paintVerdict))
			}
			if n := m.Broken(); err == nil && strict && n > 0 {
				err = diag.One(diag.New(diag.CasesBroken, "", 0, 0, "--strict", plural(n, "case")+" broken", "read the reasons"))
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "print every case, as Markdown")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 1 if a case is broken")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write this `file`, whose name ends in .html or .md")
	return cmd
}

// paintVerdict colours the verdicts that need eyes.
func (a *app) paintVerdict(v report.Verdict, text string) string {
	if v == report.Broken {
		return a.tty.paint(text, color.FgRed, color.Bold)
	}
	return a.tty.paint(text, color.FgYellow)
}

// readReports reads every file, and tells of all that cannot be read.
func readReports(files []string) (*report.Matrix, error) {
	var errs diag.List
	var list []*report.Report
	for _, file := range files {
		data, err := readInput(file, nil)
		if err != nil {
			errs = append(errs, diag.From(err)...)
			continue
		}
		r, err := report.Decode(data)
		var mistakes report.Mistakes
		if errors.As(err, &mistakes) {
			for _, m := range mistakes {
				errs.Add(diag.New(diag.ReportForm, file, m.Line, m.Col, cmp.Or(m.Field, "report"), m.Problem,
					"give files that the conformance suite wrote with -report"))
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return report.NewMatrix(list), nil
}

// writeMatrix writes the file as a whole or not at all.
func writeMatrix(m *report.Matrix, out string, html bool) error {
	var b bytes.Buffer
	var err error
	if html {
		err = m.HTML(&b, templates.MatrixHTML)
	} else {
		err = m.Markdown(&b)
	}
	if err != nil {
		return err
	}
	at, err := output.FileAt(out)
	if err == nil {
		err = renameio.WriteFile(at, b.Bytes(), 0o644)
	}
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, out, 0, 0, "output", "cannot be written: "+reason(err),
			"name a file in a folder that can be written to"))
	}
	return nil
}
