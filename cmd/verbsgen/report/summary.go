package report

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Summary is what people look for first: a line for each report with its counts, and the cases that a device does wrong. paint colours a
// verdict; the identity leaves it plain.
func (m *Matrix) Summary(paint func(v Verdict, text string) string) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "DEVICE\tPROVIDER\tKERNEL\tRDMA-CORE\tPASS\tBROKEN\tKNOWN DEFECT\tUNSUPPORTED\tSKIPPED")
	for _, c := range m.Columns {
		n := map[Verdict]int{}
		for _, x := range c.Totals {
			n[x.Verdict] = x.N
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", c.Device, c.Provider, c.Kernel, c.RDMACore,
			n[Passed], n[Broken], n[KnownDefect], n[Unsupported], n[Skipped])
	}
	_ = t.Flush() // into memory
	for _, v := range []Verdict{Broken, KnownDefect} {
		m.failures(&b, v, paint)
	}
	return b.String()
}

// failures lists the cases with a verdict, each with the devices and their reasons.
func (m *Matrix) failures(b *strings.Builder, v Verdict, paint func(v Verdict, text string) string) {
	head := false
	for _, f := range m.Families {
		for _, r := range f.Rows {
			title := false
			for i, c := range r.Cells {
				if c.Verdict != v {
					continue
				}
				if !head {
					head = true
					fmt.Fprintf(b, "\n%s\n", paint(v, string(v)))
				}
				if !title {
					title = true
					fmt.Fprintf(b, "  %s %s, %s\n", r.ID, r.Title, r.Page)
				}
				fmt.Fprintf(b, "      %s, linux %s, rdma-core %s: %s\n", m.Columns[i].Device, m.Columns[i].Kernel, m.Columns[i].RDMACore, c.Reason)
			}
		}
	}
}

// Broken is the number of cases that a device does wrong, over all reports.
func (m *Matrix) Broken() int {
	n := 0
	for _, c := range m.Columns {
		for _, t := range c.Totals {
			if t.Verdict == Broken {
				n += t.N
			}
		}
	}
	return n
}
