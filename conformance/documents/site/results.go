package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// results is the matrix, with names of columns that say only what differs.
type results struct {
	*report.Matrix
	Names []string
}

// loadResults reads the reports that are checked in.
func loadResults(root string) (*results, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "reports", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("no reports in docs/reports"))
	}
	// The first report has the titles and pages of the cases: the one of the software device, on which all of them run.
	software := filepath.Join(root, "docs", "reports", "softverbs.json")
	files = append([]string{software}, slices.DeleteFunc(files, func(file string) bool { return file == software })...)
	var list []*report.Report
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r, err := report.Decode(data)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	r := &results{Matrix: report.NewMatrix(list)}
	r.Names = names(r.Columns)
	return r, nil
}

// names are the providers of the columns, with the kernel and the release of rdma-core where columns of one provider differ in them.
func names(columns []report.Column) []string {
	var out []string
	for _, c := range columns {
		name := strings.TrimSuffix(strings.TrimPrefix(c.Provider, "rdma_"), "_core")
		if strings.Contains(c.Kernel, "emulated") {
			name += ", emulated"
		}
		kernels, cores := false, false
		for _, o := range columns {
			if o.Provider == c.Provider {
				kernels = kernels || short(o.Kernel) != short(c.Kernel)
				cores = cores || o.RDMACore != c.RDMACore
			}
		}
		if kernels {
			name += " on linux " + short(c.Kernel)
		}
		if cores {
			name += ", rdma-core " + c.RDMACore
		}
		out = append(out, name)
	}
	return out
}

// short is a kernel's release up to the second number.
func short(kernel string) string {
	parts := strings.SplitN(kernel, ".", 3)
	if len(parts) < 2 {
		return kernel
	}
	return parts[0] + "." + strings.TrimFunc(parts[1], func(r rune) bool { return r < '0' || r > '9' })
}

// of counts the cases about a man page, for each device.
func (r *results) of(page string) []support {
	var out []support
	for i, name := range r.Names {
		n := map[report.Verdict]int{}
		for _, f := range r.Families {
			for _, row := range f.Rows {
				if row.Page == page {
					n[row.Cells[i].Verdict]++
				}
			}
		}
		s := support{Column: name}
		for _, v := range r.Legend {
			if n[v] > 0 {
				s.Totals = append(s.Totals, report.Total{Verdict: v, N: n[v]})
			}
		}
		if len(s.Totals) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// heat is a cell of the heat map: how many of the cases of a family passed.
type heat struct {
	Passed, All int
	Percent     int
	Class, Text string
}

func heatOf(totals []report.Total) heat {
	h := heat{Class: "heat"}
	var all []string
	for _, t := range totals {
		h.All += t.N
		all = append(all, fmt.Sprintf("%d %s", t.N, t.Verdict))
		switch t.Verdict {
		case report.Passed:
			h.Passed = t.N
		case report.Broken:
			h.Class = "heat broken"
		}
	}
	h.Text = strings.Join(all, ", ")
	if h.Passed > 0 {
		h.Percent = 100 * h.Passed / h.All
	} else if h.Class == "heat" {
		h.Class = "heat none"
	}
	return h
}

// marks are the signs of verdicts in a narrow column.
var marks = map[report.Verdict]string{report.Passed: "✓", report.Broken: "✗", report.KnownDefect: "!", report.Unsupported: "–",
	report.Skipped: "·"}

func mark(v report.Verdict) string { return marks[v] }
