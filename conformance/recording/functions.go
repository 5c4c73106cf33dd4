package recording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// holders are the records whose function pointers this library fills in. Others are the program's own.
func (s *source) holders() []string {
	out := []string{"struct verbs_context", "struct ibv_context_ops"}
	for _, tag := range s.order {
		if s.objects[tag] && tag != "struct ibv_context" && tag != "struct ibv_device" {
			out = append(out, tag)
		}
	}
	return out
}

// verbOf returns the function of the header that calls an operation, or else the operation's own name, and the names of its parameters.
func (s *source) verbOf(op string, params []api.Param) (string, []api.Param) {
	var verb *api.Function
	best := 0
	for i, f := range s.functions {
		rank := 0
		switch {
		case f.Name == "ibv_"+op:
			rank = 2
		case f.Dispatch != nil && f.Dispatch.Op == op:
			rank = 1
		default:
			continue
		}
		if len(f.Params) > 0 && len(params) > 0 && f.Params[0].Type == params[0].Type {
			rank += 2 // not that of another object: ibv_post_recv is no operation of a work queue
		}
		if rank > best {
			verb, best = &s.functions[i], rank
		}
	}
	if verb == nil {
		return op, params
	}
	params = slices.Clone(params)
	for i := range params[:min(len(params), len(verb.Params))] {
		if params[i].Type == verb.Params[i].Type {
			params[i].Name = verb.Params[i].Name
		}
	}
	return verb.Name, params
}

// text writes tables.h.
func (s *source) text() (string, error) {
	var protos, bodies, tables strings.Builder
	ops := map[string]string{}
	for _, tag := range s.order {
		fmt.Fprintf(&tables, "static const struct record %s;\n", ident(tag))
	}
	tables.WriteString(s.elements())
	for _, tag := range s.holders() {
		for _, f := range s.records[tag].Fields {
			if f.Func == nil || strings.HasPrefix(f.Name, "_compat") || strings.HasPrefix(f.Name, "ABI_") {
				continue
			}
			id := strings.ReplaceAll("op_"+strings.TrimPrefix(tag, "struct ")+"_"+f.Name, ".", "_")
			ops[tag+"."+f.Name] = id
			verb, params := s.verbOf(f.Name, f.Func.Params)
			s.function(&protos, &bodies, "static ", id, verb, f.Func.Ret, params)
		}
	}
	for _, f := range s.functions {
		if f.Kind == api.Inline {
			continue
		}
		verb, params := f.Name, f.Params
		if f.Helper { // what an inline function of the header calls
			verb, params = s.verbOf(f.Name, f.Params)
		}
		s.function(&protos, &bodies, "", "recorded_"+f.Name, verb, f.Ret, params)
	}
	tables.WriteString(protos.String())
	tables.WriteString(s.tables(ops))
	tables.WriteString("static const struct record *const records[] = {\n")
	for _, tag := range s.order {
		fmt.Fprintf(&tables, "\t&%s,\n", ident(tag))
	}
	tables.WriteString("};\n\n")
	tables.WriteString("static uint64_t record(const char *, const struct arg *, size_t, enum result, size_t, enum kind, const " +
		"struct record *);\n\n")
	tables.WriteString(bodies.String())
	if len(s.errs) > 0 {
		return "", fmt.Errorf("%s", strings.Join(s.errs, "\n"))
	}
	return tables.String(), nil
}

// function writes the declaration and the body of a function that records its calls.
func (s *source) function(protos, bodies *strings.Builder, storage, id, verb, ret string, params []api.Param) {
	var list, args []string
	for i, p := range params {
		list = append(list, fmt.Sprintf("%s a%d", p.Type, i))
		args = append(args, s.arg(verb, p, i))
		for _, field := range commands[strings.TrimSuffix(p.Type, " *")] {
			args = append(args, fmt.Sprintf("\t\t{\"%s.%s\", UINT, sizeof a%d->%s, a%d->%s, NULL, NULL, 0},\n", p.Name, field, i, field, i, field))
		}
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	head := fmt.Sprintf("%s%s %s(%s)", storage, ret, id, strings.Join(list, ", "))
	fmt.Fprintf(protos, "%s;\n", head)
	array := "NULL"
	fmt.Fprintf(bodies, "%s\n{\n", head)
	if len(args) > 0 {
		array = "args"
		fmt.Fprintf(bodies, "\tconst struct arg args[] = {\n%s\t};\n\n", strings.Join(args, ""))
	}
	call := func(result, size, kind, made string) string {
		return fmt.Sprintf("record(%q, %s, %d, %s, %s, %s, %s)", verb, array, len(args), result, size, kind, made)
	}
	of := strings.TrimSuffix(ret, " *")
	switch kind := s.number(ret); {
	case ret == "void":
		fmt.Fprintf(bodies, "\t%s;\n}\n\n", call("NOTHING", "0", "UINT", "NULL"))
	case ret == "int" || ret == "ssize_t":
		fmt.Fprintf(bodies, "\treturn %s;\n}\n\n", call("CODE", "0", "SINT", "NULL"))
	case kind != "":
		fmt.Fprintf(bodies, "\treturn %s;\n}\n\n", call("VALUE", "sizeof("+ret+")", kind, "NULL"))
	case ret == "const char *":
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("STRING", "0", "POINTER", "NULL"))
	case ret == "struct ibv_device **":
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("DEVICES", "0", "POINTER", "NULL"))
	case ret == "struct ibv_context *":
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("OPENED", "0", "POINTER", "NULL"))
	case s.objects[of] && len(params) == 1 && s.records[of].Fields[0].Type+" *" == params[0].Type:
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("SAME", "0", "POINTER", "NULL"))
	case stored[verb] != "": // the header does not say what such an object has; the memory returned begins behind it
		i := slices.IndexFunc(params, func(p api.Param) bool { return p.Name == stored[verb] })
		fmt.Fprintf(bodies, "\t*a%d = (void *)%s;\n", i, call("MADE", "0", "POINTER", "&"+ident("struct ibv_pd")))
		fmt.Fprintf(bodies, "\treturn (struct ibv_pd *)*a%d + 1;\n}\n\n", i)
	case strings.HasPrefix(of, "struct ") && of != ret && s.records[of] == nil: // nor does it of this one
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("MADE", "0", "POINTER", "&"+ident("struct ibv_pd")))
	case s.objects[of]:
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("MADE", "0", "POINTER", "&"+ident(of)))
	default:
		fmt.Fprintf(bodies, "\treturn (%s)%s;\n}\n\n", ret, call("CODE", "0", "POINTER", "NULL"))
	}
}

// arg writes the description of an argument.
func (s *source) arg(verb string, p api.Param, i int) string {
	kind, of := s.kind(p.Type)
	size, record, count, out, value := "0", "NULL", "NULL", 0, fmt.Sprintf("(uintptr_t)a%d", i)
	if n := counts[verb+"."+p.Name]; n != "" {
		count = fmt.Sprintf("%q", n)
	}
	switch kind {
	case "UINT", "SINT", "BIG":
		value, size = fmt.Sprintf("(uint64_t)a%d", i), fmt.Sprintf("sizeof a%d", i)
	case "LIST", "OBJECT":
		record = "&" + ident(of)
	case "POINTER":
		if e := s.listed(p.Type); e != "" && (e != "element_pointer" || handedOut[verb+"."+p.Name]) {
			kind, record = "LIST", "&"+e
		}
	}
	if kind == "LIST" && !strings.HasPrefix(p.Type, "const ") && !readOnly[verb+"."+p.Name] {
		out = 1
	}
	return fmt.Sprintf("\t\t{%q, %s, %s, %s, %s, %s, %d},\n", p.Name, kind, size, value, record, count, out)
}
