package facts

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"strconv"
	"strings"
)

// debugInfo reads the records and enums of an object file.
func (p *probe) debugInfo(v *View, object string) error {
	f, err := elf.Open(object)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return err
	}
	d := &reader{probe: p, data: data, view: v}
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil {
			return nil
		}
		if err := d.entry(e); err != nil {
			return err
		}
	}
}

type reader struct {
	*probe
	data  *dwarf.Data
	view  *View
	files []*dwarf.LineFile
}

func (d *reader) entry(e *dwarf.Entry) error {
	switch e.Tag {
	case dwarf.TagCompileUnit:
		lines, err := d.data.LineReader(e)
		if err != nil {
			return err
		}
		d.files = lines.Files()
	case dwarf.TagStructType, dwarf.TagUnionType:
		return d.record(e)
	case dwarf.TagEnumerationType:
		return d.enum(e)
	}
	return nil
}

// place is where an entry was declared; own reports whether the header, or a file beside it, did so.
func (d *reader) place(e *dwarf.Entry) (place string, own bool) {
	i, ok := e.Val(dwarf.AttrDeclFile).(int64)
	line, _ := e.Val(dwarf.AttrDeclLine).(int64)
	if !ok || int(i) >= len(d.files) || d.files[i] == nil {
		return "", false
	}
	name := d.files[i].Name
	return d.included(name) + ":" + strconv.FormatInt(line, 10), d.own(name)
}

func (d *reader) record(e *dwarf.Entry) error {
	tag, ok := e.Val(dwarf.AttrName).(string)
	if !ok {
		return nil // a member, seen with the record that holds it, or a typedef of libc's
	}
	t, err := d.data.Type(e.Offset)
	if err != nil {
		return err
	}
	s, ok := t.(*dwarf.StructType)
	if !ok {
		return fmt.Errorf("%s is no record", tag)
	}
	place, own := d.place(e)
	name := "record " + s.Kind + " " + tag
	d.view.aside[name] = !own
	properties := map[string]any{"incomplete": s.Incomplete, "size": s.ByteSize, "place": place}
	if !s.Incomplete {
		fields := flatten(s, "", 0)
		properties["number of fields"] = len(fields)
		for i, f := range fields {
			properties[fmt.Sprintf("field %d", i)] = f
		}
	}
	d.view.said[name] = properties
	return nil
}

// flatten lists the members as the facts do: those of a tagless member record follow it.
func flatten(s *dwarf.StructType, prefix string, base int64) (all []field) {
	for _, m := range s.Field {
		f := field{name: prefix + m.Name, ctype: typeText(m.Type, ""), offset: base + m.ByteOffset, size: max(0, m.Type.Size())}
		if m.Name == "" {
			f.name = ""
		}
		if m.BitSize != 0 {
			f.offset, f.bits = base*8+m.DataBitOffset, int(m.BitSize)
		}
		all = append(all, f)
		inner, ok := m.Type.(*dwarf.StructType)
		if !ok || inner.StructName != "" {
			continue
		}
		next := prefix
		if m.Name != "" {
			next += m.Name + "."
		}
		all = append(all, flatten(inner, next, base+m.ByteOffset)...)
	}
	return all
}

func (d *reader) enum(e *dwarf.Entry) error {
	place, own := d.place(e)
	if !own {
		return nil
	}
	t, err := d.data.Type(e.Offset)
	if err != nil {
		return err
	}
	et, ok := t.(*dwarf.EnumType)
	if !ok {
		return fmt.Errorf("%s is no enum", place)
	}
	signed, err := d.signed(e)
	if err != nil {
		return err
	}
	var list []enumerator
	for _, v := range et.Val {
		list = append(list, enumerator{v.Name, v.Val})
	}
	properties := d.view.said.add(enumName("enum "+et.EnumName, list))
	properties["place"] = place
	enum(properties, signed, list)
	return nil
}

// signed looks at the integer type that gcc chose for an enum.
func (d *reader) signed(e *dwarf.Entry) (bool, error) {
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return false, fmt.Errorf("gcc does not tell the type of an enum")
	}
	t, err := d.data.Type(off)
	if err != nil {
		return false, err
	}
	_, isInt := t.(*dwarf.IntType)
	return isInt, nil
}

// typeText writes a type as the facts do, with <anonymous> for a record or enum without a tag.
func typeText(t dwarf.Type, inner string) string {
	switch x := t.(type) {
	case *dwarf.QualType:
		return qualified(x, inner)
	case *dwarf.PtrType:
		switch x.Type.(type) {
		case *dwarf.FuncType, *dwarf.ArrayType:
			return typeText(x.Type, "(*"+inner+")")
		case *dwarf.VoidType, nil:
			return join("void", "*"+inner)
		}
		return typeText(x.Type, "*"+inner)
	case *dwarf.ArrayType:
		n := ""
		if x.Count >= 0 {
			n = strconv.FormatInt(x.Count, 10)
		}
		return typeText(x.Type, inner+"["+n+"]")
	case *dwarf.FuncType:
		return funcText(x, inner)
	case *dwarf.StructType:
		return join(x.Kind+" "+named(x.StructName), inner)
	case *dwarf.EnumType:
		return join("enum "+named(x.EnumName), inner)
	case *dwarf.TypedefType:
		return join(x.Name, inner)
	case *dwarf.VoidType, nil:
		return join("void", inner)
	}
	return join(plain(t.Common().Name), inner)
}

func qualified(q *dwarf.QualType, inner string) string {
	if _, ok := q.Type.(*dwarf.PtrType); ok {
		if inner != "" {
			inner = " " + inner
		}
		return strings.Replace(typeText(q.Type, "\x00"+inner), "\x00", q.Qual, 1)
	}
	return q.Qual + " " + typeText(q.Type, inner)
}

func funcText(f *dwarf.FuncType, inner string) string {
	var list []string
	for _, p := range f.ParamType {
		if _, ok := p.(*dwarf.DotDotDotType); ok {
			list = append(list, "...")
			continue
		}
		list = append(list, typeText(p, ""))
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return typeText(f.ReturnType, inner+"("+strings.Join(list, ", ")+")")
}

func named(tag string) string {
	if tag == "" {
		return "<anonymous>"
	}
	return tag
}

// plain spells the arithmetic types of gcc as the facts do.
func plain(name string) string {
	switch name {
	case "long unsigned int":
		return "unsigned long"
	case "long int":
		return "long"
	case "long long unsigned int":
		return "unsigned long long"
	case "long long int":
		return "long long"
	case "short unsigned int":
		return "unsigned short"
	case "short int":
		return "short"
	}
	return name
}

func join(base, inner string) string {
	if inner == "" || inner[0] == '[' {
		return base + inner
	}
	return base + " " + inner
}
