package plan

import (
	"reflect"
	"strings"
)

// defined: what a step uses is a parameter, or comes from a step before.
func defined(w *world, m *Method) (wrong []string) {
	known := map[string]bool{"nil": true, "true": true, "false": true, "caps": true, "max": true}
	for _, v := range append([]Var{m.Recv}, m.Params...) {
		known[v.Name] = true
	}
	for _, name := range w.funcs {
		known[name] = true
	}
	var uses func(v reflect.Value)
	uses = func(v reflect.Value) {
		if x, ok := v.Interface().(Value); ok && x.Type == "" && x.Path != "" {
			name, _, method := strings.Cut(x.Path, ".")
			if !known[name] && name[0] >= 'a' && (method || x.As != Result) {
				wrong = append(wrong, name+" is used and defined nowhere before")
			}
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Name != "Then" {
					uses(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				uses(v.Index(i))
			}
		}
	}
	for _, s := range flat(m.Steps) {
		if b, ok := s.(Batch); ok { // an error of it may return what it counted
			known[b.Into], known["errno"] = true, true
		}
		uses(reflect.ValueOf(s))
		for _, name := range defines(s) {
			known[name] = true
		}
	}
	return wrong
}

// defines returns the variables that a step makes.
func defines(s Step) []string {
	switch s := s.(type) {
	case Name:
		return []string{"verb"}
	case Declare:
		return []string{s.Var.Name}
	case Assign:
		if s.Op == ":=" {
			return s.To
		}
	case Try:
		if s.Into != "" {
			return []string{s.Into, "err"}
		}
	case Gather:
		return []string{s.Into}
	case CopyAttr:
		return []string{s.Into}
	case Until:
		return []string{s.Var.Name}
	case EnterList:
		return []string{s.Into, "err"}
	case PackArms:
		return []string{s.Into, "err"}
	case CopyList:
		return []string{s.Into}
	case Hold:
		return []string{s.Addr, s.Length}
	case Make:
		return []string{s.Into}
	case Call:
		if s.Into != "" {
			return []string{s.Into}
		}
	case Output:
		return []string{s.Into}
	case UseOthers:
		return []string{s.Into}
	case EnterOther:
		return []string{s.Into, "err"}
	case LendOther:
		return []string{s.Into, "err"}
	case FillOther:
		return []string{s.Into, "err"}
	case MakeOther:
		return []string{s.Into, "err"}
	}
	return nil
}
