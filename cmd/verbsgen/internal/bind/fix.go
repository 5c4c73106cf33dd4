package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// fixes gives the rules their fixes with Go names, and the verbs what explains their errnos. What the package lacks has no Go name, so
// that this comes last.
func (b *binder) fixes() {
	for _, v := range b.pkg.Verbs {
		for _, r := range v.Rules {
			s := b.RuleByID(r.ID)
			r.Fix = s.Fix.Text(func(c string) string { return goName(b.pkg, v, c) })
			switch {
			case s.Errno == "":
			case r.Checked:
				b.errorf(diag.RuleErrno, s.Pos, r.ID, "errno: on a rule that the generated package checks", "leave it out")
			default:
				v.Causes = append(v.Causes, model.Cause{Errno: s.Errno, Text: r.Statement + "; " + r.Fix + " [" + r.ID + "]"})
			}
		}
		for _, n := range b.NotesOf(v.C) {
			if n.Errno != "" {
				v.Causes = append(v.Causes, model.Cause{Errno: n.Errno, Text: n.Statement})
			}
		}
	}
}

// goName is the Go name of what the fix of a rule of a verb names; empty when it has none.
func goName(pkg *model.Package, v *model.Verb, c string) string {
	switch c {
	case "NULL":
		return "nil"
	case "SIZE_MAX":
		return "math.MaxUint64"
	}
	for _, find := range []func(*model.Package, *model.Verb, string) string{goConstant, goDeclared, goField} {
		if name := find(pkg, v, c); name != "" {
			return name
		}
	}
	return ""
}

// goConstant is the Go name of a constant. For a bit of a mask it is the name of the field that the bit announces. A flag that
// several Go types have is named as in the types of the verb, if one of these has it.
func goConstant(pkg *model.Package, v *model.Verb, c string) string {
	var enums []*model.Enum
	for _, p := range v.Params {
		enums = append(enums, p.Enum)
	}
	for _, r := range recordsOf(v) {
		if name := fieldsOf(r, c); name != "" {
			return name
		}
		for _, f := range r.Fields {
			enums = append(enums, f.Enum)
		}
	}
	for _, t := range append(enums, pkg.Enums...) {
		if t == nil {
			continue
		}
		if m := memberOf(t, c); m != nil {
			return m.Go
		}
	}
	return ""
}

// fieldsOf names the fields of a record that a bit of its mask announces, or the bit itself if it announces none.
func fieldsOf(r *model.Record, bit string) string {
	var names []string
	for _, f := range r.FieldsOf(bit) {
		names = append(names, r.Go+"."+f.Go)
	}
	for _, x := range r.Bits {
		if x.C == bit && len(names) == 0 {
			return r.Go + "." + x.Go
		}
	}
	return strings.Join(names, ", ")
}

// goDeclared is the method of a C function, or the Go type of a C type.
func goDeclared(pkg *model.Package, _ *model.Verb, c string) string {
	for _, v := range pkg.Verbs {
		if v.C == c && len(v.Methods) > 0 {
			return v.Methods[0].Recv + "." + v.Methods[0].Name
		}
	}
	for _, t := range pkg.Enums {
		if t.C == c {
			return t.Go
		}
	}
	for _, r := range pkg.Records {
		if "struct "+r.C == c {
			return r.Go
		}
	}
	for _, o := range pkg.Objects {
		if "struct "+o.C == c {
			return o.Go
		}
	}
	return ""
}

// goField is the Go name of a field: of what the verb takes, of the capabilities, or of a handle. It is empty for a field that the
// verb takes and that Go does not show, as a program cannot set it.
func goField(pkg *model.Package, v *model.Verb, c string) string {
	records := recordsOf(v)
	for _, r := range records {
		if r.Field(c) == nil && r.Mirror.Find(c) != nil {
			return ""
		}
	}
	for _, r := range pkg.Records {
		if r.Caps {
			records = append(records, withNested(r)...)
		}
	}
	for _, r := range records {
		if f := r.Field(c); f != nil {
			return r.Go + "." + f.Go
		}
	}
	for _, o := range pkg.Objects {
		for _, x := range o.Getters {
			if x.C == c {
				return o.Go + "." + x.Go
			}
		}
	}
	return ""
}

// recordsOf are the records of the package that a verb takes, with those within.
func recordsOf(v *model.Verb) (out []*model.Record) {
	for _, p := range v.Params {
		if r := p.Taken(); r != nil && r.From == nil {
			out = append(out, withNested(r)...)
		}
	}
	return out
}

// withNested are a record and those that its fields hold.
func withNested(r *model.Record) []*model.Record {
	out := []*model.Record{r}
	for _, f := range r.Fields {
		switch {
		case f.Nested != nil:
			out = append(out, withNested(f.Nested)...)
		case f.Record != nil:
			out = append(out, withNested(f.Record)...)
		}
	}
	return out
}
