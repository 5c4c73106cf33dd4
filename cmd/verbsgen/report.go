package main

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
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
	var before string
	cmd := &cobra.Command{
		Use:   "report FILE...|FOLDER [flags]",
		Short: "summarize reports of the conformance suite",
		Long: `report reads reports that the conformance suite wrote (go test ./conformance
-args -report FILE). It prints a line for each report, and the cases that a
device fails, with the reasons. "unsupported" means that the device lacks what
the case needs, "broken" that it behaves wrongly, and "known defect" that the
failure is listed as a defect of the provider or the kernel. --strict exits 1 if
a case is broken.

go run github.com/verbsgen/verbsgen/conformance/cardreport@latest DEVICE tests a
card and writes a report of the card that can be published.

A FOLDER has the reports of a fleet, each in a file NAME.json, there or in a
folder below. The reports are grouped by provider, firmware, kernel and
rdma-core. Cases whose result on a few devices differs from the rest of their
group come first, then the groups. --before FOLDER has the reports of an earlier
run: what changed is listed, and --strict exits 1 only if a case became broken.

--all prints every case as Markdown: a column for each device, a row for each
family of cases, and below it a row for each case. -o writes the same as a web
page (.html) or as Markdown (.md).`,
		Args: takes(1, 64),
		RunE: do(func(_ *cobra.Command, args []string) error {
			html := filepath.Ext(out) == ".html"
			if out != "" && !html && filepath.Ext(out) != ".md" {
				return usagef("-o %s: the name must end in .html or .md", out)
			}
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
				if len(args) > 1 || out != "" || all {
					return usagef("a folder is shown by itself, without --all and -o")
				}
				return a.reportFleet(args[0], before, strict)
			}
			if before != "" {
				return usagef("--before needs a folder of reports")
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
	cmd.Flags().StringVar(&before, "before", "", "compare with the reports of an earlier run in this `folder`")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 1 if a case is broken")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write this `file`, whose name ends in .html or .md")
	return cmd
}

// reportFleet shows the reports of a folder, and what changed since those of another one.
func (a *app) reportFleet(dir, before string, strict bool) error {
	now, err := readFleet(dir)
	if err != nil {
		return err
	}
	text, worse := now.Text(a.paintVerdict), now.Broken()
	if before != "" {
		old, err := readFleet(before)
		if err != nil {
			return err
		}
		var changes string
		changes, worse = now.Changes(old)
		text = changes + "\n" + text
	}
	if err := a.show(text); err != nil {
		return err
	}
	if strict && worse > 0 {
		return diag.One(diag.New(diag.CasesBroken, "", 0, 0, "--strict", plural(worse, "case")+" broken", "read the reasons"))
	}
	return nil
}

// readFleet reads the reports below a folder, one after another.
func readFleet(dir string) (*report.Fleet, error) {
	f, n := report.NewFleet(), 0
	var errs diag.List
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(file) != ".json" {
			return err
		}
		r, err := readReport(file)
		if err != nil {
			errs.AddErr(err)
			return nil
		}
		n++
		f.Add(r)
		return nil
	})
	if err != nil {
		errs.Add(diag.New(diag.InputRead, dir, 0, 0, "input", "cannot be read: "+diag.Reason(err), inputFix(err)))
	} else if n == 0 && len(errs) == 0 {
		errs.Add(diag.New(diag.InputRead, dir, 0, 0, "input", "the folder has no reports",
			"name a folder with files NAME.json that the suite wrote"))
	}
	return f, errs.Err()
}

// paintVerdict colours the verdicts that need eyes.
func (a *app) paintVerdict(v report.Verdict, text string) string {
	if v == report.Broken {
		return a.tty.paint(text, color.FgRed, color.Bold)
	}
	return a.tty.paint(text, color.FgYellow)
}

// readReports reads every file, and reports all that cannot be read.
func readReports(files []string) (*report.Matrix, error) {
	var errs diag.List
	var list []*report.Report
	for _, file := range files {
		r, err := readReport(file)
		if err != nil {
			errs.AddErr(err)
			continue
		}
		list = append(list, r)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return report.NewMatrix(list), nil
}

// readReport reads one file.
func readReport(file string) (*report.Report, error) {
	data, err := readInput(file, nil)
	if err != nil {
		return nil, err
	}
	r, err := report.Decode(data)
	var mistakes report.Mistakes
	if !errors.As(err, &mistakes) {
		return r, err
	}
	var errs diag.List
	for _, m := range mistakes {
		errs.Add(diag.New(diag.ReportForm, file, m.Line, m.Col, cmp.Or(m.Field, "report"), m.Problem,
			"give files that the conformance suite wrote with -report"))
	}
	return nil, errs
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
		return diag.One(diag.New(diag.OutputWrite, out, 0, 0, "output", "cannot be written: "+diag.Reason(err),
			"name a file in a folder that can be written to"))
	}
	return nil
}
