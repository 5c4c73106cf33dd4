package cgen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// member is one member of a record as C has it: the flattened facts made a tree again.
type member struct {
	name    string // empty: an unnamed member
	field   *api.Field
	members []*member // of a record without a tag
}

// isAnonymous reports whether a type or a tag is a record without one of its own ("struct ibv_wc.<anonymous 1>"). A pointer to
// such a record, or an array of them, is not: the facts have its record on its own.
func isAnonymous(ctype string) bool {
	return isTag(ctype) && strings.HasSuffix(ctype, ">")
}

// unflatten makes the tree of the members of r.
func (w *writer) unflatten(r *api.Record) []*member {
	u := &unflattener{writer: w, record: r}
	list := u.members("", keyword(r.Tag), 0, r.Size)
	if u.at < len(r.Fields) {
		f := &r.Fields[u.at]
		w.fail(f.Pos, r.Tag, fmt.Sprintf("field %s at offset %d lies outside the members around it", f.Name, f.Offset))
	}
	return list
}

func keyword(tag string) string {
	word, _, _ := strings.Cut(tag, " ")
	return word
}

type unflattener struct {
	*writer
	record *api.Record
	at     int
}

// members reads the members of one (possibly tagless) record that covers the bytes from start to end. Those of a named
// tagless member have its name and a dot as prefix. Those of an unnamed one have no mark: they are the fields that
// follow inside its bytes and, in a struct, not over one another.
func (u *unflattener) members(prefix, kind string, start, end int64) (list []*member) {
	free := start // first byte that the next member of a struct may have
	for u.at < len(u.record.Fields) {
		f := &u.record.Fields[u.at]
		if !strings.HasPrefix(f.Name, prefix) && f.Name != "" {
			break
		}
		if f.Offset < start || f.Offset+f.Size > end || kind == "struct" && f.Offset < free && f.BitSize == nil {
			break
		}
		u.at++
		m := &member{name: strings.TrimPrefix(f.Name, prefix), field: f}
		if isAnonymous(f.Type) {
			inner := prefix
			if f.Name != "" {
				inner = f.Name + "."
			}
			if m.members = u.members(inner, keyword(f.Type), f.Offset, f.Offset+f.Size); len(m.members) == 0 {
				u.fail(f.Pos, u.record.Tag, fmt.Sprintf("member %q of type %s has no members", f.Name, f.Type))
			}
		} else if strings.Contains(m.name, ".") || m.name == "" {
			u.fail(f.Pos, u.record.Tag, fmt.Sprintf("field %q of type %s does not follow the member that holds it", f.Name, f.Type))
		}
		free = f.Offset + used(f)
		list = append(list, m)
	}
	return list
}

// used is how many bytes no other member of a struct shares with f.
func used(f *api.Field) int64 {
	if f.BitSize == nil {
		return f.Size
	}
	bits := *f.BitSize
	if f.BitOffset != nil {
		bits += *f.BitOffset
	}
	return int64(bits / 8)
}

// record writes the definition of r.
func (w *writer) record(r *api.Record) {
	w.line("%s {", r.Tag)
	w.members(r, w.unflatten(r), 1)
	w.line("}%s;", w.attribute(r))
}

func (w *writer) members(of *api.Record, list []*member, depth int) {
	indent := strings.Repeat("\t", depth)
	for _, m := range list {
		text := w.written(m.field.Type)
		if fn := m.field.Func; fn != nil { // with the names of its parameters
			unnamed := slices.Clone(fn.Params)
			for i := range unnamed {
				unnamed[i].Name = ""
			}
			if head, ok := strings.CutSuffix(text, "("+w.parameters(unnamed)+")"); ok {
				text = head + "(" + w.parameters(fn.Params) + ")"
			}
		}
		if base := names(text)[0]; isAnonymous(base) {
			inner := m.members
			r := w.Types.records[base]
			switch {
			case inner != nil:
			case r == nil:
				w.fail(m.field.Pos, of.Tag, fmt.Sprintf("field %s: the facts have no record %s", m.field.Name, base))
				return
			default:
				inner = w.unflatten(r)
			}
			w.line("%s%s {", indent, keyword(base))
			w.members(of, inner, depth+1)
			text = strings.Replace(text, base, "}", 1)
		}
		text = declare(text, m.name)
		if m.field.BitSize != nil {
			text += fmt.Sprintf(" : %d", *m.field.BitSize)
		}
		w.line("%s%s;", indent, text)
	}
}

// written is a type as it can be written. An enum without a tag stands as the integer that it is.
func (w *writer) written(ctype string) string {
	for _, name := range names(ctype) {
		if e := w.enums[name]; e != nil && strings.HasSuffix(name, ">") {
			ctype = strings.ReplaceAll(ctype, name, enumType(e)+"_t")
		}
	}
	return ctype
}

// parameters declares those of a function.
func (w *writer) parameters(list []api.Param) string {
	var all []string
	for _, p := range list {
		all = append(all, declare(w.written(p.Type), p.Name))
	}
	return cmp.Or(strings.Join(all, ", "), "void")
}

// attribute is what the definition of r needs beside its members to get its alignment: nothing, for nearly all.
func (ts *Types) attribute(r *api.Record) string {
	var natural int64 = 1
	for _, f := range r.Fields {
		if isAnonymous(f.Type) {
			continue
		}
		align := ts.align(f.Type)
		if align == 0 {
			return ""
		}
		natural = max(natural, align)
	}
	switch {
	case r.Align < natural && r.Align == 1:
		return " __attribute__((packed))"
	case r.Align < natural:
		return fmt.Sprintf(" __attribute__((packed, aligned(%d)))", r.Align)
	case r.Align > natural:
		return fmt.Sprintf(" __attribute__((aligned(%d)))", r.Align)
	}
	return ""
}
