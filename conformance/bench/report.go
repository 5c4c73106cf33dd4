package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// targetsFile has a line for each target: the package, the benchmark without "Benchmark", the unit, and the largest value that meets it.
//
//go:embed targets.txt
var targetsFile string

type target struct {
	pkg   string
	key   key
	limit float64
}

func parseTargets(text string) (targets []target, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 4 {
			return nil, fmt.Errorf("targets.txt:%d: %d words, not package, benchmark, unit and limit", n, len(f))
		}
		limit, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			return nil, fmt.Errorf("targets.txt:%d: %w", n, err)
		}
		targets = append(targets, target{f[0], key{f[1], f[2]}, limit})
	}
	return targets, nil
}

// packages are those of the targets, each once.
func packages(targets []target) (all []string) {
	for _, t := range targets {
		if !slices.Contains(all, t.pkg) {
			all = append(all, t.pkg)
		}
	}
	return all
}

// report is what a run measured.
type report struct {
	Commit  string `json:"commit"`
	Against string `json:"against,omitempty"`
	Go      string `json:"go"`
	CPU     string `json:"cpu"`
	Rounds  int    `json:"rounds"`
	Rows    []row  `json:"rows"`
}

// row is one number.
type row struct {
	Package   string   `json:"package"`
	Benchmark string   `json:"benchmark"`
	Unit      string   `json:"unit"`
	Value     float64  `json:"value"`
	Before    *float64 `json:"before,omitempty"` // of the other commit, if it measures this
	Target    *float64 `json:"target,omitempty"`
	Verdict   string   `json:"verdict,omitempty"` // met, or missed
}

// judge gives the rows their targets. A target that nothing measured is a row without a number.
func (r *report) judge(targets []target) {
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, t := range targets {
			if t.pkg == row.Package && t.key == (key{row.Benchmark, row.Unit}) {
				row.Target, row.Verdict = &t.limit, "met"
				if row.Value > t.limit {
					row.Verdict = "missed"
				}
			}
		}
	}
}

// print writes the table.
func (r *report) print(w io.Writer, all bool) {
	fmt.Fprintf(w, "%s, %s, %s; medians of %d\n", r.Commit, r.Go, r.CPU, r.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	before := "\n"
	if r.Against != "" {
		before = "\t" + r.Against + "\tratio\n"
	}
	fmt.Fprint(t, "package\tbenchmark\tunit\tmeasured\ttarget\tverdict", before)
	met, with := 0, 0
	for _, row := range r.Rows {
		limit := ""
		if row.Target != nil {
			with++
			limit = fmt.Sprintf("%.4g", *row.Target)
		} else if !all {
			continue
		}
		if row.Verdict == "met" {
			met++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.3g\t%s\t%s", row.Package, row.Benchmark, row.Unit, row.Value, limit, row.Verdict)
		switch {
		case r.Against == "":
		case row.Before == nil:
			fmt.Fprint(t, "\t-\t-")
		case *row.Before == 0:
			fmt.Fprintf(t, "\t%.3g\t-", *row.Before)
		default:
			fmt.Fprintf(t, "\t%.3g\t%.2f", *row.Before, row.Value / *row.Before)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(w, "%d of %d targets met\n", met, with)
}

// write stores the report.
func (r *report) write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o666)
}
