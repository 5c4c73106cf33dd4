package cgen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// member is one member of a record as C has it: the flattened facts made a tree again.
type member struct {
	name    string // empty: an unnamed member
	field   *api.Field
	record  string // "struct" or "union" of a tagless record, whose members are in members
	members []*member
}

// isAnonymous reports whether a type or a tag is a record without one of its own ("struct ibv_wc.<anonymous 1>"). A pointer to
// such a record, or an array of them, is not: the facts have its record on its own.
func isAnonymous(ctype string) bool {
	return isTag(ctype) && strings.HasSuffix(ctype, ">")
}

// unflatten makes the tree of the members of r.
func unflatten(r *api.Record) ([]*member, error) {
	u := &unflattener{record: r}
	list, err := u.members("", keyword(r.Tag), 0, r.Size)
	if err == nil && u.at < len(r.Fields) {
		f := &r.Fields[u.at]
		err = errorAt(f.Pos, "%s: field %s at offset %d lies outside the members around it", r.Tag, f.Name, f.Offset)
	}
	return list, err
}

func keyword(tag string) string {
	word, _, _ := strings.Cut(tag, " ")
	return word
}

type unflattener struct {
	record *api.Record
	at     int
}

// members reads the members of one (possibly tagless) record that covers the bytes from start to end. Those of a named
// tagless member have its name and a dot as prefix. Those of an unnamed one have no mark: they are the fields that
// follow inside its bytes and, in a struct, not over one another.
func (u *unflattener) members(prefix, kind string, start, end int64) ([]*member, error) {
	var list []*member
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
			var err error
			m.record = keyword(f.Type)
			if m.members, err = u.members(inner, m.record, f.Offset, f.Offset+f.Size); err != nil {
				return nil, err
			}
			if len(m.members) == 0 {
				return nil, errorAt(f.Pos, "%s: member %q of type %s has no members", u.record.Tag, f.Name, f.Type)
			}
		} else if strings.Contains(m.name, ".") || m.name == "" {
			return nil, errorAt(f.Pos, "%s: field %q of type %s does not follow the member that holds it", u.record.Tag, f.Name, f.Type)
		}
		free = f.Offset + used(f)
		list = append(list, m)
	}
	return list, nil
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
func (w *writer) record(r *api.Record) error {
	list, err := unflatten(r)
	if err != nil {
		return err
	}
	w.line("%s {", r.Tag)
	if err := w.members(list, 1); err != nil {
		var placed *Error
		if errors.As(err, &placed) {
			return err
		}
		return errorAt(r.Pos, "%s: %v", r.Tag, err)
	}
	w.line("}%s;", w.sel.attribute(r))
	return nil
}

func (w *writer) members(list []*member, depth int) error {
	indent := strings.Repeat("\t", depth)
	for _, m := range list {
		if m.record != "" {
			w.line("%s%s {", indent, m.record)
			if err := w.members(m.members, depth+1); err != nil {
				return err
			}
			w.line("%s;", strings.TrimSuffix(indent+"} "+m.name, " "))
			continue
		}
		if err := w.field(m, depth); err != nil {
			return fmt.Errorf("field %s: %w", m.field.Name, err)
		}
	}
	return nil
}

// field declares one member, parameter names of a function pointer included.
func (w *writer) field(m *member, depth int) error {
	t, err := w.sel.written(m.field.Type)
	if err != nil {
		return err
	}
	if fn := m.field.Func; fn != nil {
		nameParams(t, fn.Params)
	}
	indent := strings.Repeat("\t", depth)
	if base := t.innermost(); isAnonymous(base.name) {
		r := w.sel.types.records[base.name]
		if r == nil {
			return fmt.Errorf("the facts have no record %s", base.name)
		}
		list, err := unflatten(r)
		if err != nil {
			return err
		}
		w.line("%s%s {", indent, keyword(r.Tag))
		if err := w.members(list, depth+1); err != nil {
			return err
		}
		base.name = "}"
	}
	text := t.declare(m.name)
	if m.field.BitSize != nil {
		text += fmt.Sprintf(" : %d", *m.field.BitSize)
	}
	w.line("%s%s;", indent, text)
	return nil
}

// written is a type as it can be written. An enum without a tag stands as the integer that it is.
func (s *selection) written(text string) (*ctype, error) {
	t, err := parseType(text)
	if err != nil {
		return nil, err
	}
	base := t.innermost()
	if e := s.types.enums[base.name]; e != nil && strings.HasSuffix(base.name, ">") {
		base.name = integer(enumSize(e), e.Signed).GoInt + "_t"
	}
	return t, nil
}

// nameParams gives the parameters of the function that t points to their names.
func nameParams(t *ctype, params []api.Param) {
	for t.form == formPtr || t.form == formArray {
		t = t.elem
	}
	if t.form != formFunc || len(t.params) != len(params) {
		return
	}
	for i, p := range params {
		t.params[i].name = p.Name
	}
}

// attribute is what the definition of r needs beside its members to get its alignment: nothing, for nearly all.
func (s *selection) attribute(r *api.Record) string {
	var natural int64 = 1
	for _, f := range r.Fields {
		if isAnonymous(f.Type) {
			continue
		}
		t, err := parseType(f.Type)
		if err != nil {
			return ""
		}
		ft, err := s.classify(t)
		if err != nil || ft.Align == 0 {
			return ""
		}
		natural = max(natural, ft.Align)
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
