package spec

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// page reads the root of a page.
func (d *decoder) page(n *yaml.Node) *Page {
	p := &Page{}
	defer d.marking(&p.Entry)()
	p.Pos = d.pos(n)
	if release := textOf(n, "release"); release != "" {
		d.tag = "v" + release
	}
	d.sourceTable(valueOf(n, keySources))
	name := pageName(d.file)
	ok := d.object(n, place{name, ""}, d.pageKeys(p))
	if ok && p.Page != "" && p.Page != name {
		fix := "name the file " + p.Page + ".yaml, one page a file"
		if name == p.Page+".go" {
			fix = "write extends: in place of page:, as its Go names extend the page"
		}
		d.add(n, CodePageName, p.Page, "the file is called "+name+".yaml", fix)
	}
	p.name()
	return p
}

// pageKeys are those of a page, and of a file that adds to one.
func (d *decoder) pageKeys(p *Page) []key {
	ignored := func(*yaml.Node, place) {}
	return append(d.keys(p),
		key{"rules", false, d.rules(p)},
		key{keyExtends, false, ignored}, // a file that has it is read by extension
		key{keySources, false, ignored}) // read before all else
}

// name tells the verbs and rules of the page its name.
func (p *Page) name() {
	for i := range p.Verbs {
		p.Verbs[i].Page = p.Page
	}
	for i := range p.Rules {
		p.Rules[i].Page = cmp.Or(p.Rules[i].Page, p.Page)
	}
}

// pageName is the name of the page that a file of this name holds.
func pageName(file string) string {
	return strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".yaml")
}

// width reads the number of bits of a flag type.
func (d *decoder) width(to *int) reader {
	return func(n *yaml.Node, at place) {
		bits := "32"
		d.operand(&bits)(n, at)
		if *to = 32; bits == "64" {
			*to = 64
		} else if bits != "32" {
			d.add(n, CodeValue, at.subject, "bits: "+show(bits)+" is not a width", "write 32 or 64")
		}
	}
}

func (t *FlagType) check(d *decoder, k, _ *yaml.Node, _ place, whole bool) {
	t.Bits = cmp.Or(t.Bits, 32)
	if whole && t.Enum == "" && len(t.Members) == 0 {
		d.add(k, CodeMissingKey, t.Go, "neither enum nor members is given", "name the C enum, or the members of an anonymous one")
	}
}

func (t *EnumType) check(d *decoder, k, v *yaml.Node, _ place, whole bool) {
	constants := t.Enum != "" || len(t.Members) > 0
	switch {
	case !whole:
	case !constants && !hasKey(v, "code"):
		d.add(k, CodeMissingKey, t.Go, "neither enum nor members is given", "name the C enum, or the members of an anonymous one")
	case t.Untyped && (t.Signed || t.Runtime+t.Code != "" || len(t.EventOf) > 0):
		d.add(valueOf(v, "untyped"), CodeValue, t.Go,
			"untyped: excludes signed:, runtime:, code: and event_of:, which are for types", "remove it, or them")
	case len(t.Likely) > 0 && t.Runtime == "":
		d.add(valueOf(v, "likely"), CodeValue, t.Go, "likely: is for types with runtime:", "remove it")
	}
}

func (u *Union) check(d *decoder, _, _ *yaml.Node, _ place, _ bool) {
	if _, hidden := u.Hide[u.Shows]; hidden {
		d.twice(u.At("hide", u.Shows), u.Go, "the member "+show(u.Shows)+" is both shown ("+u.At("shows", u.Shows).String()+") and hidden")
	}
}

func (r *Record) check(d *decoder, _, _ *yaml.Node, _ place, _ bool) {
	for _, f := range r.Fields {
		if _, hidden := r.Hide[f.C]; hidden {
			d.twice(r.At("hide", f.C), r.Go, "field "+f.C+" is both shown ("+f.Pos.String()+") and hidden")
		}
		if f.C == r.Mask && f.Pos.File != r.Pos.File { // of an extension
			d.twice(f.Pos, r.Go, "field "+f.C+" is already at "+r.At("mask", r.Mask).String())
		}
	}
}

// twice notes a name that an entry has in two ways.
func (d *decoder) twice(at Pos, subject, problem string) {
	d.errs = append(d.errs, Error{Pos: at, Subject: subject, Code: CodeDuplicateName, Problem: problem, Fix: "keep one of them"})
}

func (p *Param) check(d *decoder, _, v *yaml.Node, at place, _ bool) {
	d.paramKeys(v, at.subject, p.Role)
}
