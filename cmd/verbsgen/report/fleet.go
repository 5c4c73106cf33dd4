package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Fleet is what many reports of one suite have in common, and where they differ. Of each report it keeps counts and the cases that its
// device does wrong, so that a thousand reports need little memory.
type Fleet struct {
	groups  map[group]*members
	devices map[string][]string // host and device -> IDs of broken cases
	titles  map[string]string   // of broken cases
}

// group is what devices are compared within.
type group struct{ provider, firmware, kernel, core string }

func (g group) String() string {
	return fmt.Sprintf("%s, firmware %s, linux %s, rdma-core %s", cmp.Or(g.provider, "?"), cmp.Or(g.firmware, "?"),
		cmp.Or(g.kernel, "?"), cmp.Or(g.core, "?"))
}

// members are the reports of a group.
type members struct {
	reports int
	totals  map[Verdict]int
	cases   map[string]map[Verdict]ended
	reasons map[string]string // of broken cases: the first
}

// ended is how many devices end a case in some way, and the first of them.
type ended struct {
	n       int
	devices []string
}

// named is how many devices are named of each outlier.
const named = 5

// NewFleet returns a fleet without reports.
func NewFleet() *Fleet {
	return &Fleet{groups: map[group]*members{}, devices: map[string][]string{}, titles: map[string]string{}}
}

// Add takes a report into account.
func (f *Fleet) Add(r *Report) {
	g := group{visible(r.Device.Provider), visible(r.Device.Firmware), visible(r.Host.Kernel), visible(r.Library.RDMACore)}
	m := f.groups[g]
	if m == nil {
		m = &members{totals: map[Verdict]int{}, cases: map[string]map[Verdict]ended{}, reasons: map[string]string{}}
		f.groups[g] = m
	}
	m.reports++
	device := visible(r.Host.Name) + "/" + visible(r.Device.Name)
	broken := []string{}
	for i := range r.Cases {
		c := &r.Cases[i]
		v := verdict(c)
		m.totals[v]++
		if m.cases[c.ID] == nil {
			m.cases[c.ID] = map[Verdict]ended{}
		}
		e := m.cases[c.ID][v]
		if e.n++; e.n <= named {
			e.devices = append(e.devices, device)
		}
		m.cases[c.ID][v] = e
		if v == Broken {
			broken = append(broken, c.ID)
			f.titles[c.ID] = visible(c.Title)
			m.reasons[c.ID] = cmp.Or(m.reasons[c.ID], visible(c.Reason))
		}
	}
	f.devices[device] = broken
}

// Broken is the number of cases that devices do wrong.
func (f *Fleet) Broken() int {
	n := 0
	for _, ids := range f.devices {
		n += len(ids)
	}
	return n
}

// Text is a table of the groups, with the outliers first: cases that end otherwise on a few devices of a group than on the others.
func (f *Fleet) Text(paint func(v Verdict, text string) string) string {
	var b strings.Builder
	order := f.order()
	for _, g := range order {
		f.groups[g].outliers(&b, g, f.titles, paint)
	}
	if b.Len() == 0 {
		b.WriteString("no outliers: within each group, every case ends in the same way on all devices\n")
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "REPORTS\tPROVIDER\tFIRMWARE\tKERNEL\tRDMA-CORE\tPASS\tBROKEN\tKNOWN DEFECT\tUNSUPPORTED\tSKIPPED")
	for _, g := range order {
		m := f.groups[g]
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", m.reports, g.provider, g.firmware, g.kernel, g.core,
			m.totals[Passed], m.totals[Broken], m.totals[KnownDefect], m.totals[Unsupported], m.totals[Skipped])
	}
	_ = t.Flush() // into memory
	fmt.Fprintf(&b, "%d devices, %d broken cases\n", len(f.devices), f.Broken())
	return b.String()
}

// order lists the groups: those with broken cases first, then the large ones.
func (f *Fleet) order() []group {
	return slices.SortedFunc(maps.Keys(f.groups), func(a, b group) int {
		x, y := f.groups[a], f.groups[b]
		return cmp.Or(cmp.Compare(y.totals[Broken], x.totals[Broken]), cmp.Compare(y.reports, x.reports), strings.Compare(a.String(), b.String()))
	})
}

// outliers prints the cases of a group that differ between its devices.
func (m *members) outliers(b *strings.Builder, g group, titles map[string]string, paint func(v Verdict, text string) string) {
	n := 0
	for _, id := range slices.Sorted(maps.Keys(m.cases)) {
		usual := Passed
		for _, v := range verdicts {
			if m.cases[id][v].n > m.cases[id][usual].n {
				usual = v
			}
		}
		for _, v := range verdicts {
			few := m.cases[id][v].n
			if v == usual || few == 0 || v == Skipped || v == NotRun {
				continue
			}
			if n++; n == 1 {
				fmt.Fprintf(b, "%s\n", g)
			}
			more := ""
			if few > named {
				more = fmt.Sprintf(" and %d more", few-named)
			}
			fmt.Fprintf(b, "  %s: %s on %d of %d: %s%s\n", id, paint(v, string(v)), few, m.reports, strings.Join(m.cases[id][v].devices, ", "), more)
			if v == Broken {
				fmt.Fprintf(b, "      %s: %s\n", titles[id], m.reasons[id])
			}
		}
	}
}

// Changes lists what became broken and what was mended since an earlier run, by device. worse is the number of cases that became broken.
func (f *Fleet) Changes(before *Fleet) (text string, worse int) {
	var b strings.Builder
	for _, d := range slices.Sorted(maps.Keys(f.devices)) {
		old, known := before.devices[d]
		if !known {
			fmt.Fprintf(&b, "  %s: not in the earlier run\n", d)
		}
		for _, id := range f.devices[d] {
			if known && !slices.Contains(old, id) {
				worse++
				fmt.Fprintf(&b, "  %s: %s became broken\n", d, id)
			}
		}
		for _, id := range old {
			if !slices.Contains(f.devices[d], id) {
				fmt.Fprintf(&b, "  %s: %s is no longer broken\n", d, id)
			}
		}
	}
	gone := 0
	for d := range before.devices {
		if _, here := f.devices[d]; !here {
			gone++
		}
	}
	if gone > 0 {
		fmt.Fprintf(&b, "  %d devices only in the earlier run\n", gone)
	}
	if b.Len() == 0 {
		return "no changes since the earlier run\n", 0
	}
	return "since the earlier run\n" + b.String(), worse
}
