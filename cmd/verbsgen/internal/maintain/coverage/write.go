package coverage

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
)

// row is numbers behind a name.
type row struct {
	name string
	n    []int
}

// withSum appends the sums of rows with so many columns.
func withSum(rows []row, columns int) []row {
	all := row{"all", make([]int, columns)}
	for _, r := range rows {
		for i, n := range r.n {
			all.n[i] += n
		}
	}
	return append(rows[:len(rows):len(rows)], all)
}

// writeText writes rows for a tabwriter, and writeMarkdown as rows of a table.
func writeText(w io.Writer, rows []row)     { writeRows(w, rows, "", "\t", "\n") }
func writeMarkdown(w io.Writer, rows []row) { writeRows(w, rows, "| ", " | ", " |\n") }

func writeRows(w io.Writer, rows []row, open, between, end string) {
	for _, r := range rows {
		fmt.Fprint(w, open, r.name)
		for _, n := range r.n {
			fmt.Fprint(w, between, n)
		}
		fmt.Fprint(w, end)
	}
}

// name of the release for people.
func (r *Report) name() string {
	if r.Release == nil {
		return "the header given"
	}
	return "rdma-core " + *r.Release
}

// kinds are the tables of declarations, with how they are called.
func (r *Report) kinds() []kind {
	return []kind{{"functions", r.Functions}, {"records", r.Records}, {"enums", r.Enums}, {"macros", r.Macros}}
}

type kind struct {
	what  string
	items []Item
}

// statuses are the rows of the kinds: how many are bound, skipped, pending, undecided, and all.
func (r *Report) statuses() (rows []row) {
	for _, k := range r.kinds() {
		n := count(k.items)
		rows = append(rows, row{k.what, []int{n[bind.Bound], n[bind.Skipped], n[bind.Pending], n[bind.Undecided], len(k.items)}})
	}
	return rows
}

// Text writes the report for a terminal. With names, it lists every declaration that is not bound.
func (r *Report) Text(w io.Writer, names bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tbound\tskipped\tpending\tundecided\ttotal\n", r.name())
	writeText(t, r.statuses())
	fmt.Fprintf(t, "\npage\tfunctions\tskipped\trules\ttested\terrors\tlints\targs\tcaps\tstate\tnotes\n")
	writeText(t, withSum(r.pages, columns))
	if err := t.Flush(); err != nil {
		return err
	}
	for _, id := range r.Rules.Untested {
		fmt.Fprintf(w, "untested rule: %s\n", id)
	}
	if !names {
		return nil
	}
	for _, k := range r.kinds() {
		for _, it := range k.items {
			if it.Status != bind.Bound {
				if _, err := fmt.Fprintf(w, "%s %s: %s%s\n", it.Status, strings.TrimSuffix(k.what, "s"), it.Name, because(it.Reason)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// Markdown writes the report as a Markdown document.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Coverage of %s\n\n", r.name())
	b.WriteString("| | bound | skipped | pending | undecided | total |\n|---|--:|--:|--:|--:|--:|\n")
	writeMarkdown(&b, r.statuses())
	b.WriteString("\n## Pages\n\n| page | functions | skipped | rules | tested | errors | lints | by arguments | by capabilities | " +
		"by state | notes |\n" +
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	writeMarkdown(&b, withSum(r.pages, columns))
	for _, k := range r.kinds() {
		fmt.Fprintf(&b, "\n## %s\n\n| name | status | page | reason |\n|---|---|---|---|\n", strings.ToUpper(k.what[:1])+k.what[1:])
		for _, it := range k.items {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", it.Name, it.Status, it.Page, strings.ReplaceAll(it.Reason, "|", `\|`))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
