package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// record drafts the Go type of a struct that a function takes or fills; nil if it cannot be drafted for this use.
func (d *drafter) record(p *page, tag, role string) *record {
	if r := d.records[tag]; r != nil {
		if r.role != role {
			return nil
		}
		return r
	}
	rec := d.facts.Record("struct " + tag)
	if rec == nil || !d.open[rec.Tag] || d.Dropped[rec.Tag] != "" || d.owned[tag] != "" || open(rec) || hidden(rec) {
		return nil
	}
	r := &record{goName: d.free(model.Exported(d.bare(tag))), role: role}
	d.records[tag] = r
	delete(d.open, rec.Tag)
	d.writeRecord(p, rec, r, "")
	return r
}

// open reports whether a struct ends in an array without a length, which Go memory would not have.
func open(rec *api.Record) bool {
	return slices.ContainsFunc(rec.Fields, func(f api.Field) bool {
		return f.Size == 0 || strings.HasSuffix(f.Type, "[]") || strings.HasSuffix(f.Type, "[0]")
	})
}

// hidden reports whether a struct has nothing but structs without a name: a call with it would know nothing.
func hidden(rec *api.Record) bool {
	return !slices.ContainsFunc(rec.Fields, func(f api.Field) bool {
		return f.Name != "" && !strings.Contains(f.Name, ".") && !rec.Container(f)
	})
}

// writeRecord writes a record; more are its further keys.
func (d *drafter) writeRecord(p *page, rec *api.Record, r *record, more string, without ...string) {
	var fields, hide strings.Builder
	tag := strings.TrimPrefix(rec.Tag, "struct ")
	mask, bits := "", map[string]string{}
	if role := r.role; role == "in" && rec.Field("comp_mask") != nil {
		mask = "  mask: comp_mask\n"
		bits = d.bits(rec, d.maskOf(rec))
	}
	for _, f := range rec.Fields {
		switch {
		case f.Name == "" || rec.Container(f) || slices.Contains(without, f.Name) || mask != "" && f.Name == "comp_mask":
		case strings.Contains(f.Name, "."):
			fmt.Fprintf(&hide, "    %s: a member of a struct without a name # guess\n", f.Name)
		default:
			if text, ok := d.field(p, tag, f, r.role, bits[f.Name]); ok {
				d.used[bits[f.Name]] = true
				fmt.Fprintf(&fields, "    %s: %s\n", f.Name, text)
			} else {
				fmt.Fprintf(&hide, "    %s: %s # guess\n", f.Name, strconv.Quote(text))
			}
		}
	}
	text := fmt.Sprintf("%s:\n  c: %s\n  role: %s # guess\n%s%s  doc: A struct %s.\n  fields:", r.goName, tag, r.role, mask, more, tag)
	if fields.Len() == 0 {
		text += " {}"
	}
	text += "\n" + fields.String()
	if hide.Len() > 0 {
		text += "  hide:\n" + hide.String()
	}
	p.add("records", rec.Tag, "%s", text)
}

// field describes a field, or says why it is hidden.
func (d *drafter) field(p *page, of string, f api.Field, role, bit string) (text string, ok bool) {
	t := d.facts.TypeOf(f.Type)
	keys := "go: " + model.Exported(snake(strings.ReplaceAll(f.Name, ".", "_")))
	if bit != "" {
		keys += ", bit: " + bit
	}
	o := d.objects[t.Tag]
	switch {
	case strings.HasPrefix(f.Name, "reserved"):
		return "room for later fields", false
	case f.BitSize != nil:
		return "a field of bits", false
	case t.Pointer && t.Depth() == 1 && o != nil && role == "in":
		keys += ", handle: " + o.goName
	case t.Pointer || t.Kind == spec.CFunc:
		return "a pointer, " + f.Type, false
	case t.Array && strings.HasPrefix(f.Type, "char[") && role == "out":
		keys += ", text: true"
	case t.Array && (t.Kind != spec.CInt || strings.Count(f.Type, "[") > 1):
		return "an array, " + f.Type, false
	case f.Type == "_Bool":
		keys += ", bool: true"
	case t.Tag != "" && t.Record() != nil:
		r := (*record)(nil)
		if role == "in" {
			r = d.record(p, t.Tag, role)
		}
		if r == nil {
			return "a struct or union in it, " + f.Type, false
		}
		keys += ", nested: " + r.goName
	case t.Tag != "":
		if e := d.enum(p, t.Tag); e != "" {
			keys += ", type: " + e
		}
	case t.Kind != spec.CInt:
		return "it has the type " + f.Type, false
	case d.like(of, f.Name) != "":
		keys += ", type: " + d.enum(p, d.like(of, f.Name))
	}
	return "{" + keys + "} # guess", true
}

// maskOf finds the enum of the mask of a record: of those nobody uses, that whose tag begins like that of the struct and has most members
// that are called like a field.
func (d *drafter) maskOf(rec *api.Record) *api.Enum {
	var best *api.Enum
	most := 0
	stem := strings.TrimSuffix(strings.TrimPrefix(rec.Tag, "struct "), "_attr")
	for i := range d.Release.Enums {
		e := &d.Release.Enums[i]
		tag := strings.TrimPrefix(e.Tag, "enum ")
		if !d.open[e.Tag] || d.split(tag)[0] != d.split(stem)[0] || !strings.HasPrefix(tag, stem) && !strings.HasSuffix(tag, "_mask") {
			continue
		}
		n := len(d.bits(rec, e))
		if strings.HasPrefix(e.Tag, "enum "+stem) {
			n *= 2
		}
		if n > most {
			best, most = e, n
		}
	}
	return best
}

// bits finds the bit of the mask that announces a field: the one with the name of the field, or with its first words.
func (d *drafter) bits(rec *api.Record, e *api.Enum) map[string]string {
	out := map[string]string{}
	if e == nil {
		return out
	}
	for _, m := range spec.FlagsOf(e) {
		for _, f := range rec.Fields {
			name := strings.ToUpper(f.Name)
			last := m.Name[strings.LastIndex(m.Name, "_")+1:]
			if strings.HasSuffix(m.Name, "_"+name) || strings.HasPrefix(name, last+"_") && out[f.Name] == "" {
				out[f.Name] = m.Name
			}
		}
	}
	return out
}

// like is the tag of an enum that no page has yet and that is called like a number: like it, or like its struct or function and it.
func (d *drafter) like(of, name string) string {
	short := strings.TrimSuffix(strings.TrimSuffix(name, "_mask"), "_flags")
	for _, p := range d.m.Prefixes() {
		for _, tag := range []string{p + name, of + "_" + name, strings.TrimSuffix(of, "_attr") + "_" + name,
			strings.TrimSuffix(of, "_attr") + "_" + short} {
			if d.facts.Enum(tag) != nil && (d.open["enum "+tag] || d.drafted["enum "+tag]) {
				return tag
			}
		}
	}
	return ""
}

// enum drafts the Go type of an enum.
func (d *drafter) enum(p *page, tag string) string {
	if t := d.types["enum "+tag]; tag == "" || t != "" {
		return t
	}
	e, called := d.facts.Enum(tag), tag
	if anonymous := strings.HasPrefix(tag, "<"); anonymous {
		called = ""
		for _, t := range d.Release.Typedefs {
			if t.Type == "enum "+tag {
				called = t.Name
			}
		}
	}
	if e == nil || e.Foreign || called == "" || d.Dropped[e.Tag] != "" {
		return ""
	}
	name := d.free(model.Exported(d.bare(called)))
	d.types["enum "+tag], d.types[e.Tag] = name, name
	var names []string
	var values []int64
	for _, m := range e.Enumerators {
		names, values = append(names, m.Name), append(values, m.Value)
	}
	words := strings.Split(snake(called), "_")
	section, more := "enums", ""
	if slices.Contains(flagged, words[len(words)-1]) && powers(values) {
		section, d.flags[name] = "flags", true
	} else if e.Signed {
		more = "  signed: true\n"
	}
	of := "enum: " + tag
	if called != tag {
		of = "members: [" + strings.Join(names, ", ") + "]"
	}
	if prefix := common(names); prefix != "" {
		of += "\n  prefix: " + prefix
	}
	p.add(section, e.Tag, "%s: # guess\n  %s\n%s  doc: An enum %s.\n", name, of, more, called)
	delete(d.open, e.Tag)
	d.drafted[e.Tag] = true
	return name
}

// arms drafts structs that stand behind another one: they are called like others that do, and an enumerator is called like them.
func (d *drafter) arms() {
	for _, p := range d.Spec.Pages {
		for _, like := range p.Records {
			if like.Arm == nil || like.Arm.Tag == "" {
				continue
			}
			prefix := like.C[:strings.LastIndex(like.C, "_")+1]
			isPrefix := like.Arm.Is[:strings.LastIndex(like.Arm.Is, "_")+1]
			for i := range d.Release.Records {
				rec := &d.Release.Records[i]
				rest, ok := strings.CutPrefix(rec.Tag, "struct "+prefix)
				is := isPrefix + strings.ToUpper(rest)
				if !ok || !d.open[rec.Tag] || d.facts.EnumOf(is) == nil || d.Dropped[rec.Tag] != "" || rec.Field(like.Arm.Tag) == nil {
					continue
				}
				tag := strings.TrimPrefix(rec.Tag, "struct ")
				r := &record{goName: d.free(model.Exported(d.bare(tag))), role: "in"}
				d.records[tag], d.used[is] = r, true
				delete(d.open, rec.Tag)
				of := d.page(p.Page)
				d.writeRecord(of, rec, r, fmt.Sprintf("  arm: {type: %s, tag: %s, size: %s, is: %s} # guess\n",
					like.Arm.Of, like.Arm.Tag, like.Arm.Size, is), like.Arm.Tag, like.Arm.Size)
			}
		}
	}
}
