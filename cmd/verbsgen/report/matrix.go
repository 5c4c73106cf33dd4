package report

import (
	"cmp"
	_ "embed" // the template of the tables
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	text "text/template"
)

// Verdict is what the matrix says of a case on a device. A device that cannot do a thing is told apart from one that does
// it wrong.
type Verdict string

// What the cells of the matrix say.
const (
	Passed      Verdict = "pass"
	Broken      Verdict = "broken"
	KnownDefect Verdict = "known defect"
	Unsupported Verdict = "unsupported" // the device lacks what the case needs
	Skipped     Verdict = "skipped"     // for a reason of the machine, not of the device
	NotRun      Verdict = "not run"     // the report does not have the case
)

// verdicts is their order: what needs eyes first.
var verdicts = []Verdict{Broken, KnownDefect, Passed, Unsupported, Skipped, NotRun}

// Class is the verdict as one word.
func (v Verdict) Class() string { return strings.ReplaceAll(string(v), " ", "-") }

// Matrix is several reports side by side.
type Matrix struct {
	Columns  []Column
	Families []Family
	Notes    []Note
	Legend   []Verdict
	Emulated string // what a column of an emulated device means; empty without one
}

// Column is a report.
type Column struct {
	Device, Mode, Provider, Firmware, Kernel, RDMACore, Host, Date string
	Totals                                                         []Total
}

// Total is how often a verdict came.
type Total struct {
	Verdict Verdict
	N       int
}

// Family is a group of cases, with the sum of each column.
type Family struct {
	Name  string
	Cells []Sum
	Rows  []Row
}

// Sum is a family on a device: the verdict that needs eyes most, and the counts.
type Sum struct {
	Verdict Verdict
	Totals  []Total
}

// Row is a case on every device.
type Row struct {
	ID, Title, Page string
	Rules           []string
	Cells           []Cell
}

// Cell is a case on a device.
type Cell struct {
	Verdict Verdict
	Overlay bool   // the case ran on an overlay
	Reason  string // also of a passed case, where it has one
	Note    int    // number of the note that has the reason; 0 without one
}

// Note is a reason, and where it applies.
type Note struct {
	N       int
	Verdict Verdict
	Text    string
}

// NewMatrix puts reports side by side, in the order given. Families and cases are in the order of their IDs.
func NewMatrix(reports []*Report) *Matrix {
	m := &Matrix{Legend: verdicts}
	rows := map[string]*Row{}
	family := map[string]string{}
	for i, r := range reports {
		m.Columns = append(m.Columns, column(r))
		for j := range r.Cases {
			c := &r.Cases[j]
			if rows[c.ID] == nil {
				rows[c.ID] = &Row{ID: c.ID, Title: visible(c.Title), Page: visible(c.Page), Cells: make([]Cell, len(reports))}
				for _, id := range c.Rules {
					rows[c.ID].Rules = append(rows[c.ID].Rules, visible(id))
				}
				for k := range rows[c.ID].Cells {
					rows[c.ID].Cells[k].Verdict = NotRun
				}
				family[c.ID] = visible(c.Family)
			}
			rows[c.ID].Cells[i] = Cell{Verdict: verdict(c), Reason: visible(c.text()), Overlay: c.Mode == ModeOverlay}
		}
	}
	ids := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(strings.Compare(family[a], family[b]), strings.Compare(a, b))
	})
	for _, id := range ids {
		if n := len(m.Families); n == 0 || m.Families[n-1].Name != family[id] {
			m.Families = append(m.Families, Family{Name: family[id]})
		}
		f := &m.Families[len(m.Families)-1]
		f.Rows = append(f.Rows, *rows[id])
	}
	if slices.ContainsFunc(reports, (*Report).Emulated) {
		m.Emulated = emulated
	}
	m.sum()
	return m
}

const emulated = "A column with \"emulated kernel half and card\" is of the real, unmodified library: what the user half does is " +
	"real, what the kernel and the card answer is ours."

// kind says what answered: the mode, or which parts of a device are real.
func kind(r *Report) string {
	if !r.Emulated() {
		return r.Mode
	}
	return fmt.Sprintf("real lib%s %s, emulated kernel half and card", strings.TrimSuffix(r.Device.Provider, "_core"), r.Library.RDMACore)
}

func column(r *Report) Column {
	dash := func(s string) string {
		return cmp.Or(visible(s), "–")
	}
	host := dash(r.Host.Name)
	if r.Peer != nil {
		host += ", peer " + dash(r.Peer.Host.Name)
	}
	return Column{Device: visible(r.Device.Name), Mode: visible(kind(r)), Provider: dash(r.Device.Provider), Firmware: dash(r.Device.Firmware),
		Kernel:   dash(r.Host.Kernel),
		RDMACore: dash(r.Library.RDMACore), Host: host, Date: r.Started.UTC().Format("2006-01-02")}
}

func verdict(c *Case) Verdict {
	switch c.Status {
	case Pass:
		return Passed
	case Fail:
		return Broken
	case Known:
		return KnownDefect
	}
	if len(c.Lacks) > 0 {
		return Unsupported
	}
	return Skipped
}

// text is the reason, with the evidence of a known defect.
func (c *Case) text() string {
	if c.Evidence == "" {
		return c.Reason
	}
	return c.Reason + " (" + c.Evidence + ")"
}

// sum fills in the counts of families and columns, and numbers the reasons; equal ones share a number.
func (m *Matrix) sum() {
	columns := make([]map[Verdict]int, len(m.Columns))
	for i := range columns {
		columns[i] = map[Verdict]int{}
	}
	numbers := map[Note]int{}
	for i := range m.Families {
		f := &m.Families[i]
		for k := range m.Columns {
			n := map[Verdict]int{}
			for j := range f.Rows {
				c := &f.Rows[j].Cells[k]
				n[c.Verdict]++
				columns[k][c.Verdict]++
				if c.Reason == "" {
					continue
				}
				key := Note{Verdict: c.Verdict, Text: c.Reason}
				if numbers[key] == 0 {
					numbers[key] = len(m.Notes) + 1
					m.Notes = append(m.Notes, Note{len(m.Notes) + 1, c.Verdict, c.Reason})
				}
				c.Note = numbers[key]
			}
			t := totals(n)
			f.Cells = append(f.Cells, Sum{t[0].Verdict, t})
		}
	}
	for k := range m.Columns {
		m.Columns[k].Totals = totals(columns[k])
	}
}

func totals(n map[Verdict]int) []Total {
	var out []Total
	for _, v := range verdicts {
		if n[v] > 0 {
			out = append(out, Total{v, n[v]})
		}
	}
	return out
}

// HTML writes the matrix by the given template.
func (m *Matrix) HTML(w io.Writer, page string) error {
	t, err := template.New("matrix").Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, m)
}

//go:embed matrix.md.tmpl
var markdown string

// Markdown writes the matrix as tables.
func (m *Matrix) Markdown(w io.Writer) error {
	funcs := text.FuncMap{"escape": escape, "counts": counts}
	return text.Must(text.New("matrix").Funcs(funcs).Parse(markdown)).Execute(w, m)
}

func counts(t []Total) string {
	var parts []string
	for _, x := range t {
		parts = append(parts, fmt.Sprintf("%d %s", x.N, x.Verdict))
	}
	return strings.Join(parts, ", ")
}

// visible writes what a reader would not see, or would see in another place, as Go writes it in a text: control characters,
// marks of direction and width, blanks other than the usual one. Line ends and tabs become blanks. The texts come from a
// file of others.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// marks are the characters that Markdown may take for markup.
var marks = strings.NewReplacer("|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "~", `\~`)

// slash is a backslash that Markdown would take together with the character behind it.
var slash = regexp.MustCompile(`\\(?:$|[^ \pL\pN])`)

// escape keeps a text of a table free of markup.
func escape(s string) string {
	var b strings.Builder
	for at := slash.FindStringIndex(s); at != nil; at = slash.FindStringIndex(s) {
		b.WriteString(marks.Replace(s[:at[0]]) + `\\`)
		s = s[at[0]+1:]
	}
	return b.String() + marks.Replace(s)
}
