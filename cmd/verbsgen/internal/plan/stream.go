package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans streams of commands: their type, and the posting of a batch, which is one call into C.

// streamParams are the parameters of the C function of a stream.
var streamParams = []Cross{{Name: "gate", Type: pointer, Memory: true}, {Name: "object", Type: pointer},
	{Name: "asked", Type: "uint64"}, {Name: "first", Type: pointer, Memory: true},
	{Name: "answer", Type: pointer, Memory: true}}

// stream plans a method that makes a stream, and the type of the stream.
func (b *builder) stream(v *model.Verb, m *model.Method) []Decl {
	name, errs, asks := m.Recv+m.Name, "err"+v.Go, v.Stream.Asks
	c := b.newCall(v, m)
	kind, open := text(m.Recv), v.Part(form.PartOpen)
	cross := func(gate Value, args ...Value) Call {
		return Call{Verb: v.C, By: result("raw"+v.Go, append([]Value{result(gate.Path + ".Word")}, args...)...), Answer: Nothing}
	}
	asked := converted(asks.Go, result(c.self+".asked.Fields"))
	c.out.Doc = Doc{Does: Says("new stream", Words{"Object": m.Recv}), C: v.C, Page: v.Page, More: []string{m.Doc}}
	c.out.Results, c.out.Zero = []Var{{Type: "*" + name}, {Type: "error"}}, []Value{null}
	c.out.Steps = slices.Concat([]Step{Name{v.C}}, c.pre, b.missing(open, c.lib), []Step{
		Try{Call: of("lazy", "Check", val(c.self+".asked"), verb, kind, asked, asked)},
		define("object", raw(open, c.lib, val(c.self+".h.C"))),
		define("a", of("dpath", "Probe")),
		cross(val(c.self+".gate"), val("object"), converted("uint64", asked), null, memory("a")),
		Try{Call: of("dpath", "Lacks", val("a"), verb, kind, asked)},
		ret(composite("*"+name, Entry{"gate", addr(c.self + ".gate")}, Entry{"object", val("object")}, Entry{"asked", asked},
			Entry{c.self, val(c.self)}), null)})
	s, out := Var{Name: "s", Type: "*" + name}, []Var{{Name: "posted", Type: "int"}, {Name: "err", Type: "error"}}
	return []Decl{c.out,
		&Struct{Name: name, Doc: Doc{Does: Says("stream", Words{"Object": m.Recv}), C: v.C, Page: v.Page},
			Fields: []Var{{Name: "gate", Type: "*gate.Gate", Remark: "of the " + m.Recv}, {Name: "object", Type: pointer},
				{Name: "asked", Type: asks.Go}, {Name: c.self, Type: "*" + m.Recv}}},
		&Method{Doc: Doc{Does: Says("Post", Words{"Object": m.Recv}), C: v.C, Page: v.Page},
			Recv: s, Name: "Post", Params: []Var{{Name: "b", Type: "*dpath.SendBatch"}, {Name: "n", Type: "int"}}, Results: out, Short: true,
			Steps: []Step{ret(result("s.PostRange", result("b.From", zero, val("n"))))}},
		&Method{Doc: Doc{Text: Says("PostRange", nil)}, Recv: s, Name: "PostRange",
			Params: []Var{{Name: "r", Type: "dpath.SendRange"}}, Results: out,
			Zero: []Value{zero}, Steps: []Step{
				neverMade("s.gate", v, name, m),
				Declare{Var{Name: "a", Type: "dpath.Stream"}},
				cross(val("s.gate"), val("s.object"), converted("uint64", val("s.asked")), result("r.Begin", addr("a"), val("s.gate")), memory("a")),
				If{result("r.Unfinished", addr("a")), []Step{
					do(result("r.End", addr("a"))),
					Try{Call: of("dpath", "NotAsked", addr("a"), text(v.C), kind, val("s.asked"))},
					Batch{Into: "posted", Call: result("a.Posted"), Failed: result("s.failed", val("r"), val("errno")), Else: val("posted")}}},
				do(result("s.hint", val("r"))),
				ret(result("r.Len"), null)}},
		Once{errs, v.C, m.Recv}}
}

// neverMade refuses a stream or a reader whose field is nil, since the method of a handle has not made it.
func neverMade(field string, v *model.Verb, typ string, by *model.Method) Step {
	recv, _, _ := strings.Cut(field, ".")
	return Refuse{operation(isNil(recv), "||", isNil(field)),
		of("verr", "NilValue", text(v.C), text(typ), text("make one with "+by.Recv+"."+by.Name))}
}
