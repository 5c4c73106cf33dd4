package plan

import (
	"fmt"
	"reflect"
	"strings"
)

// String gives a plan as text: a line for each step, with those under it indented.
func (m *Method) String() string {
	var b strings.Builder
	name := m.Name
	if m.Recv.Name != "" {
		name = fmt.Sprintf("(%s %s) %s", m.Recv.Name, m.Recv.Type, m.Name)
	}
	fmt.Fprintf(&b, "%s(%s) (%s)\n", name, vars(m.Params), vars(m.Results))
	dumpSteps(&b, "\t", m.Steps)
	return b.String()
}

func vars(list []Var) string {
	var out []string
	for _, v := range list {
		out = append(out, strings.TrimSpace(v.Name+" "+v.Type))
	}
	return strings.Join(out, ", ")
}

func dumpSteps(b *strings.Builder, indent string, steps []Step) {
	for _, s := range steps {
		fmt.Fprint(b, indent, dump(reflect.ValueOf(s)), "\n")
		if then := reflect.ValueOf(s).FieldByName("Then"); then.IsValid() {
			dumpSteps(b, indent+"\t", then.Interface().([]Step))
		}
	}
}

// dump gives a value by its type and those of its fields that are set.
func dump(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Value:
		return x.String()
	case Entry:
		return x.Name + ": " + x.Value.String()
	case Var:
		return x.Name + " " + x.Type
	case []Entry: // what rules look at is up to the pages
		return "..."
	}
	switch v.Kind() {
	case reflect.Slice:
		var out []string
		for i := range v.Len() {
			out = append(out, dump(v.Index(i)))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case reflect.Struct:
		var out []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "Then" && !v.Field(i).IsZero() {
				out = append(out, f.Name+": "+dump(v.Field(i)))
			}
		}
		return v.Type().Name() + "{" + strings.Join(out, ", ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

func (v Value) String() string {
	if v.As == Itself {
		return v.Path
	}
	var out []string
	for _, text := range []string{v.Type, v.Path, v.Text} {
		if text != "" {
			out = append(out, text)
		}
	}
	if v.N != 0 || v.As == Number {
		out = append(out, fmt.Sprintf("%#x", v.N))
	}
	for _, x := range v.Args {
		out = append(out, x.String())
	}
	for _, x := range v.With {
		out = append(out, x.Name+": "+x.Value.String())
	}
	if v.Func != nil {
		var b strings.Builder
		dumpSteps(&b, " ", v.Func.Then)
		out = append(out, vars(v.Func.Params), strings.TrimSpace(strings.ReplaceAll(b.String(), "\n", ";")))
	}
	return string(v.As) + "(" + strings.Join(out, ", ") + ")"
}
