package plan

import (
	"fmt"
	"reflect"
	"strings"
)

// String returns a plan as text: a line for each step, with those under it indented.
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

// dump returns a value by its type and those of its fields that are set.
func dump(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Value:
		return x.String()
	case Entry:
		return x.Name + ": " + x.Value.String()
	case Var:
		return x.Name + " " + x.Type
	case Assign:
		values := strings.Trim(dump(reflect.ValueOf(x.Values)), "[]")
		return strings.TrimSpace(strings.Join(x.To, ", ") + " " + x.Op + " " + values)
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
	name := v.Path
	if v.Type != "" {
		name = v.Type + "." + v.Path
	}
	var args []string
	for _, x := range v.Args {
		args = append(args, x.String())
	}
	for _, x := range v.With {
		args = append(args, x.Name+": "+x.Value.String())
	}
	list := strings.Join(args, ", ")
	switch v.As {
	case Literal:
		return v.Text
	case Address:
		return "&" + v.Path
	case Converted:
		if len(args) == 0 {
			return v.Type
		}
		return v.Type + "(" + list + ")"
	case Operation:
		return strings.Join(args, " "+v.Text+" ")
	case Composite:
		return v.Type + "{" + list + "}"
	case Symbol:
		return v.Path + "." + v.Text
	case Result:
		if v.Of != "" {
			name += "[" + v.Of + "]"
		}
		return name + "(" + list + ")"
	case Function:
		var b strings.Builder
		dumpSteps(&b, " ", v.Func.Then)
		return "func(" + vars(v.Func.Params) + ") {" + strings.ReplaceAll(b.String(), "\n", ";") + "}"
	}
	return name
}

// is reports whether a value is the same as another.
func (v Value) is(x Value) bool { return v.String() == x.String() }
