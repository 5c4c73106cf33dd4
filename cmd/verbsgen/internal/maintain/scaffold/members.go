package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// members drafts new fields of records, and new enumerators of enums, that pages have.
func (d *drafter) members(list []bind.Member) {
	for _, m := range list {
		if m.Field {
			d.newField(m)
		}
	}
	for _, m := range list {
		if !m.Field && !d.used[m.Name] {
			d.newEnumerator(m)
		}
	}
}

// newField adds a field to a record.
func (d *drafter) newField(m bind.Member) {
	r := d.Spec.RecordByGo(m.Go)
	rec := d.facts.Record(m.Of)
	if r == nil || rec == nil {
		return
	}
	p := d.page(pageName(m.Page))
	bit := ""
	if r.Mask != "" && r.Role == "in" {
		for _, f := range r.Fields {
			if e := d.facts.EnumOf(f.Bit); f.Bit != "" && e != nil && d.bits(rec, e)[m.Name] != "" {
				bit = d.bits(rec, e)[m.Name]
				d.used[bit] = true
				break
			}
		}
	}
	f := rec.Field(m.Name)
	if text, ok := d.field(p, strings.TrimPrefix(m.Of, "struct "), *f, r.Role, bit); ok && d.Dropped[m.String()] == "" {
		p.add("records", m.String(), "%s:\n  fields:\n    %s: %s", m.Go, m.Name, text)
	} else {
		p.add("records", m.String(), "%s:\n  hide:\n    %s: %s # guess", m.Go, m.Name, strconv.Quote(text))
	}
}

// newEnumerator adds an enumerator to the type of its enum, or skips it.
func (d *drafter) newEnumerator(m bind.Member) {
	for _, sp := range d.Spec.Pages {
		for i := range sp.Flags {
			if t := &sp.Flags[i]; "enum "+t.Enum == m.Of && len(t.Members) > 0 && d.Dropped[m.Name] == "" {
				d.page(sp.Page).add("flags", m.Name, "%s:\n  members:\n    - %s # guess", t.Go, m.Name)
				return
			}
		}
	}
	for _, sp := range d.Spec.Pages {
		if decides(sp, d.facts, m.Of) {
			d.skip(d.page(sp.Page), m.Name, "nothing here uses it")
			return
		}
	}
}

// decides reports whether a page has a field or a switch with a bit of an enum.
func decides(p *spec.Page, facts *spec.Facts, tag string) bool {
	is := func(name string) bool { e := facts.EnumOf(name); return name != "" && e != nil && e.Tag == tag }
	for _, r := range p.Records {
		for _, f := range r.Fields {
			if is(f.Bit) {
				return true
			}
		}
		for _, w := range r.Switches {
			if is(w.C) {
				return true
			}
		}
		if r.Arm != nil && is(r.Arm.Is) {
			return true
		}
	}
	return false
}

// pageName is the page of a file: PAGE.yaml or PAGE.go.yaml.
func pageName(at spec.Pos) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(at.File), ".yaml"), ".go")
}

// rest skips what nothing has used.
func (d *drafter) rest() {
	for _, r := range d.Release.Records {
		if d.open[r.Tag] {
			d.skip(d.last(), r.Tag, cmp.Or(d.Dropped[r.Tag], "no function that is bound uses it"))
		}
	}
	for _, e := range d.Release.Enums {
		if !d.open[e.Tag] && !strings.Contains(e.Tag, "<") {
			continue
		}
		switch {
		case strings.Contains(e.Tag, "<"):
			for _, m := range e.Enumerators {
				if !d.drafted[e.Tag] && (d.open[m.Name] || d.open[m.Name+" of "+e.Tag]) {
					d.skip(d.last(), m.Name, "an enum without a name")
				}
			}
		case !slices.ContainsFunc(e.Enumerators, func(m api.Enumerator) bool { return d.used[m.Name] }):
			d.skip(d.last(), e.Tag, "no function that is bound uses it")
		default:
			for _, m := range e.Enumerators {
				if !d.used[m.Name] {
					d.skip(d.last(), m.Name, "no field goes by it")
				}
			}
		}
	}
	for _, m := range d.Release.Macros {
		if d.open[m.Name] {
			d.skip(d.last(), m.Name, "nothing uses it")
		}
	}
	for _, v := range d.Release.Variables {
		if d.open[v.Name] {
			d.skip(d.last(), v.Name, "a variable")
		}
	}
}

// last is the page for what belongs to no function.
func (d *drafter) last() *page {
	if len(d.Spec.Pages) == 0 {
		return d.page(d.m.Name)
	}
	return d.page(d.m.Name + "_rest")
}
