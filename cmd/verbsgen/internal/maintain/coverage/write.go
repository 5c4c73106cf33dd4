package coverage

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
)

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
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

// Text writes the report for a terminal. With names, it lists every declaration that is not bound.
func (r *Report) Text(w io.Writer, names bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tbound\tskipped\tpending\tundecided\ttotal\n", r.name())
	for _, k := range r.kinds() {
		n := count(k.items)
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\n", k.what, n[bind.Bound], n[bind.Skipped], n[bind.Pending], n[bind.Undecided],
			len(k.items))
	}
	fmt.Fprintf(t, "\npage\tfunctions\tskipped\trules\ttested\terrors\tlints\targs\tcaps\tstate\tnotes\n")
	sum := pageCount{page: "all"}
	for _, p := range r.pages {
		p.row(t)
		sum.add(p)
	}
	sum.row(t)
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

// row writes one page's numbers.
func (p pageCount) row(w io.Writer) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n",
		p.page, p.bound, p.skipped, p.rules, p.tested, p.errors, p.lints, p.args, p.caps, p.state, p.notes)
}

// add sums up.
func (p *pageCount) add(q pageCount) {
	p.bound += q.bound
	p.skipped += q.skipped
	p.rules += q.rules
	p.tested += q.tested
	p.errors += q.errors
	p.lints += q.lints
	p.args += q.args
	p.caps += q.caps
	p.state += q.state
	p.notes += q.notes
}

// Markdown writes the report as a Markdown document.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Coverage of %s\n\n", r.name())
	b.WriteString("| | bound | skipped | pending | undecided | total |\n|---|--:|--:|--:|--:|--:|\n")
	for _, k := range r.kinds() {
		n := count(k.items)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", k.what, n[bind.Bound], n[bind.Skipped], n[bind.Pending],
			n[bind.Undecided], len(k.items))
	}
	b.WriteString("\n## Pages\n\n| page | functions | skipped | rules | tested | errors | lints | by arguments | by capabilities | " +
		"by state | notes |\n" +
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	sum := pageCount{page: "all"}
	for _, p := range append(r.pages[:len(r.pages):len(r.pages)], sum) {
		sum.add(p)
		if p.page == "all" {
			p = sum
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n",
			p.page, p.bound, p.skipped, p.rules, p.tested, p.errors, p.lints, p.args, p.caps, p.state, p.notes)
	}
	for _, k := range r.kinds() {
		fmt.Fprintf(&b, "\n## %s\n\n| name | status | page | reason |\n|---|---|---|---|\n", strings.ToUpper(k.what[:1])+k.what[1:])
		for _, it := range k.items {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", it.Name, it.Status, it.Page, strings.ReplaceAll(it.Reason, "|", `\|`))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
