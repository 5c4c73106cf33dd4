package facts

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// entries looks at the debug information of an object file.
func entries(object string, look func(*dwarf.Data, *dwarf.Entry) error) error {
	f, err := elf.Open(object)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return err
	}
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err == nil && e != nil {
			err = look(data, e)
		}
		if err != nil || e == nil {
			return err
		}
	}
}

// debugInfo reads the records and enums of an object file.
func (p *probe) debugInfo(v *View, object string) error {
	d := &reader{probe: p, rel: v.rel}
	return entries(object, func(data *dwarf.Data, e *dwarf.Entry) error {
		d.data = data
		switch e.Tag {
		case dwarf.TagCompileUnit:
			lines, err := data.LineReader(e)
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
	})
}

type reader struct {
	*probe
	data  *dwarf.Data
	rel   *api.Release
	files []*dwarf.LineFile
}

// place is where an entry was declared; own reports whether the header, or a file beside it, did so.
func (d *reader) place(e *dwarf.Entry) (place api.Pos, own bool) {
	i, ok := e.Val(dwarf.AttrDeclFile).(int64)
	line, _ := e.Val(dwarf.AttrDeclLine).(int64)
	if !ok || int(i) >= len(d.files) || d.files[i] == nil {
		return api.Pos{}, false
	}
	name := d.files[i].Name
	return api.Pos{File: d.included(name), Line: int(line)}, d.own(name)
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
	r := api.Record{Tag: s.Kind + " " + tag, Size: s.ByteSize, Incomplete: s.Incomplete, Fields: flatten(s, "", 0)}
	place, own := d.place(e)
	r.Pos, r.Foreign = place, !own
	d.rel.Records = append(d.rel.Records, r)
	return nil
}

// flatten lists the members as the facts do: those of a tagless member record follow it.
func flatten(s *dwarf.StructType, prefix string, base int64) (all []api.Field) {
	for _, m := range s.Field {
		f := api.Field{Type: typeText(m.Type, ""), Offset: base + m.ByteOffset, Size: max(0, m.Type.Size())}
		next := prefix
		if m.Name != "" {
			f.Name, next = prefix+m.Name, prefix+m.Name+"."
		}
		if bits := int(m.BitSize); bits != 0 {
			f.Offset, f.BitSize = base*8+m.DataBitOffset, &bits
		}
		all = append(all, f)
		if inner, ok := m.Type.(*dwarf.StructType); ok && inner.StructName == "" {
			all = append(all, flatten(inner, next, base+m.ByteOffset)...)
		}
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
		return fmt.Errorf("%s is no enum", place.Short())
	}
	signed, err := d.signed(e)
	if err != nil {
		return err
	}
	enum := api.Enum{Tag: "enum " + et.EnumName, Signed: signed, Pos: place}
	for _, v := range et.Val {
		enum.Enumerators = append(enum.Enumerators, api.Enumerator{Name: v.Name, Value: v.Val})
	}
	enum.Tag = enumName(enum)
	d.rel.Enums = append(d.rel.Enums, enum)
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
