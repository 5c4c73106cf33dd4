package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// This file plans readers: what they read, their type, and the reading, which is one call into C.

// readerParams are the parameters of the C function of a reader.
var readerParams = []Cross{{Name: "gate", Type: pointer, Memory: true}, {Name: "fields", Type: "uint64"},
	{Name: "entries", Type: pointer, Memory: true},
	{Name: "room", Type: "int64"}, {Name: "tries", Type: "int64"}, {Name: "answer", Type: pointer, Memory: true}}

// isAsked reports whether the package has a reader or a stream of an object, which do only what the object was asked for.
func (b *builder) isAsked(o *model.Object) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool { return (v.Reads != nil || v.Stream != nil) && v.Params[0].Object == o })
}

// reader plans a method that makes a reader, with the types of the reader and of what it reads.
func (b *builder) reader(v *model.Verb, m *model.Method) []Decl {
	l, name, errs := v.Reads, m.Recv+m.Name, "err"+v.Go
	c := b.newCall(v, m)
	kind, fields := text(m.Recv), val("fields")
	cross := func(gate, fields, entries Value, more ...Value) Call {
		return Call{Verb: v.C, By: result("raw"+v.Go, append([]Value{result(gate.Path + ".Word"), fields, entries}, more...)...), Answer: Nothing}
	}
	c.out.Doc = Doc{Does: Says("new reader", Words{"Object": m.Recv}), C: v.C, Page: v.Page, More: []string{m.Doc}}
	c.out.Params, c.out.Results, c.out.Zero = []Var{{Name: "fields", Type: l.Asks.Go}}, []Var{{Type: "*" + name}, {Type: "error"}},
		[]Value{null}
	c.out.Steps = slices.Concat([]Step{Name{v.C}}, c.pre, []Step{
		Try{Call: of("lazy", "Check", val(c.self+".asked"), verb, kind, fields, hex(askable(l)))},
		Declare{Var{Name: "a", Type: "lazy.Answer"}},
		cross(val(c.self+".gate"), converted("uint64", fields), null, zero, zero, memory("a")),
		Try{Call: of("lazy", "Lacks", val("a"), verb, kind, fields)},
		ret(composite("*"+name, Entry{c.self, val(c.self)}, Entry{"fields", c.readBy(converted("uint64", fields))}), null)})
	from := "r." + c.self
	r, list, n := Var{Name: "r", Type: "*" + name}, "entries", []Var{{Type: "int"}, {Type: "error"}}
	entries := Var{Name: list, Type: "[]" + l.Go}
	return append(readTypes(l), c.out,
		&Struct{Name: name, Doc: Doc{Does: Says("reader", Words{"Entry": l.Go, "Object": m.Recv}), C: v.C, Page: v.Page},
			Fields: []Var{{Name: c.self, Type: "*" + m.Recv}, {Name: "fields", Type: "uint64"}}},
		&Method{Doc: Doc{Does: Says("PollInto", Words{"List": list, "Object": m.Recv}), C: v.C, Page: v.Page},
			Recv: r, Name: "PollInto", Params: []Var{entries}, Results: n, Short: true,
			Steps: []Step{ret(result("r.PollSpin", val(list), number(1)))}},
		&Method{Doc: Doc{Text: Says("PollSpin", nil)},
			Recv: r, Name: "PollSpin", Params: []Var{entries, {Name: "tries", Type: "int"}}, Results: n, Zero: []Value{zero}, Steps: []Step{
				neverMade(from, v, name, m),
				If{operation(result("len", val(list)), "==", zero), []Step{ret(zero, null)}},
				do(of("lazy", "Written", val(list))),
				Declare{Var{Name: "a", Type: "lazy.Answer"}},
				cross(val(from+".gate"), val("r.fields"), array(list), length("int64", list),
					converted("int64", val("tries")), memory("a")),
				Batch{Into: "n", Call: result("a.Read", addr(from+".gate")), Failed: errnoOf(errs), Else: val("n")},
				ret(val("n"), null)}},
		Once{errs, v.C, m.Recv})
}

// readBy is what a reader gives to C at each call: its fields, and how the device has to be read.
func (c *call) readBy(fields Value) Value {
	if c.root == "" || c.root == c.self {
		return fields
	}
	return operation(fields, "|", of("diagnose", "Singly", val(c.lib+".src"), result(c.root+".h.Label")))
}

// askable are the fields that a reader can read.
func askable(l *model.Lazy) (bits uint64) {
	for _, f := range l.Fields {
		if f.Bit != nil {
			bits |= uint64(f.Bit.Value)
		}
	}
	return bits
}

// readTypes plans the struct that a reader fills, and what its fields say together.
func readTypes(l *model.Lazy) []Decl {
	s := &Struct{Name: l.Go, Doc: Doc{Does: "is " + naming.Lower(l.Doc), C: "struct " + l.C, Page: l.Page}}
	out := []Decl{s}
	method := func(name, text, typ string, steps ...Step) {
		out = append(out, &Method{Doc: Doc{Text: text}, Recv: Var{Name: "w", Type: "*" + l.Go}, Name: name, Results: one(typ), Steps: steps,
			OrZero: true})
	}
	failed := composite("*")
	for _, f := range l.Fields {
		s.Fields = append(s.Fields, Var{Name: f.Go, Type: f.GoType, Doc: docOfField(f), Remark: strings.Trim(f.C+"."+f.Of, ".")})
		if f.Failed != "" || !f.Func {
			failed.With = append(failed.With, Entry{f.Go, val("w." + f.Go)})
		}
		if f.Time != "" {
			method(f.Time, f.Time+" returns "+f.Go+" as a time.", "time.Time", ret(of("time", "Unix", zero, converted("int64", val("w."+f.Go)))))
		}
	}
	if ok := l.OK(); ok != nil && l.Fails != "" {
		failed.Type = "*" + ok.Enum.Runtime + "." + l.Fails
		method("Err", "Err returns nil for what succeeded, and otherwise a "+failed.Type+".", "error",
			If{operation(val("w."+ok.Go), "!=", number(uint64(ok.OK.Value))), []Step{ret(failed)}}, ret(null))
	}
	return out
}

// docOfField says what a field is, and which flag asks for it.
func docOfField(f *model.LazyField) string {
	text := f.Doc
	if f.Failed == spec.FailedOnly {
		text += "; 0 for what succeeded"
	}
	if f.Bit != nil {
		text += "; asked for by " + f.Bit.Go
	}
	return text
}

// errnoOf is the error of an errno, made once.
func errnoOf(errs string) Value { return result(errs+".Errno", val("errno")) }
