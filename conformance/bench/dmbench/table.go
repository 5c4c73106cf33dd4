//go:build linux && cgo

package dmbench

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
)

// Sizes are the lengths that are measured, in bytes.
var Sizes = []int{4, 8, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20}

// Run measures the subject as sub-benchmarks of b, one for each length and direction, and then prints them as a table. Each is
// measured once, whatever b.N is. What is reported are ratios to the C loop: x-C (the subject), naive-x-C (a plain cgo call),
// beside C-ns and allocs/copy.
func Run(b *testing.B, s Subject) {
	var results []Result
	for _, read := range []bool{false, true} {
		for _, n := range Sizes {
			if s.Most != 0 && n > s.Most {
				continue
			}
			b.Run(way(read)+"/"+label(n), func(b *testing.B) {
				if b.N > 1 {
					b.Skip("measured in rounds: run with -benchtime 1x")
				}
				r, err := Measure(s, n, read)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(r.C, "C-ns")
				b.ReportMetric(r.Ratio, "x-C")
				b.ReportMetric(r.Naive, "naive-x-C")
				b.ReportMetric(r.Allocs, "allocs/copy")
				results = append(results, r)
			})
		}
	}
	if err := format(os.Stdout, b.Name(), results); err != nil {
		b.Error(err)
	}
}

// format writes a table: a line for each contestant and direction, a column for each length.
func format(w io.Writer, title string, results []Result) error {
	fmt.Fprintln(w, title+", ratio to a loop in C through the provider's callback:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, read := range []bool{false, true} {
		lines := [][]string{{way(read)}, {"C, ns"}, {"dm"}, {"naive cgo"}, {"allocs"}}
		for _, r := range results {
			if r.Read != read {
				continue
			}
			cells := []string{label(r.Bytes), number(r.C), number(r.Ratio), number(r.Naive),
				strconv.FormatFloat(r.Allocs, 'f', -1, 64)}
			for i, cell := range cells {
				lines[i] = append(lines[i], cell)
			}
		}
		for _, line := range lines {
			fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
		}
	}
	return t.Flush()
}

func way(read bool) string {
	if read {
		return "ReadAt"
	}
	return "WriteAt"
}

func label(n int) string {
	switch {
	case n >= 1<<20:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n)
}

// number shows three digits, more before the point.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
