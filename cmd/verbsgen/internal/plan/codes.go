package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// codes plans the conversions of a type whose values stand for a size or a time.
func codes(t *model.Enum) []Decl {
	k := form.FindCode(t.Code)
	if k == nil {
		return nil
	}
	out := []Decl{&Method{Doc: Doc{Does: k.Does}, Recv: Var{Name: "v", Type: t.Go}, Name: k.Method, Results: one(k.Is), Short: true,
		Steps: []Step{ret(of("codes", k.To, converted(k.Takes, val("v"))))}}}
	if k.From == "" {
		return out
	}
	return append(out, &Method{Doc: Doc{Does: k.FromDoc}, Name: t.Go + "Of", Params: []Var{{Name: k.Arg, Type: k.Is}},
		Results: []Var{{Type: t.Go}, {Type: "error"}}, Zero: []Value{zero},
		Steps: []Step{Try{Into: "v", Call: of("codes", k.From, val(k.Arg))}, ret(converted(t.Go, val("v")), null)}})
}

// texts plans how the values of a union are written as text, and read again.
func texts(u *model.Union) []Decl {
	k := form.FindText(u.Text)
	if k == nil {
		return nil
	}
	return []Decl{
		&Method{Doc: Doc{Does: k.Does}, Recv: Var{Name: "v", Type: u.Go}, Name: "String", Results: one("string"), Short: true,
			Steps: []Step{ret(of("codes", k.To, val("v")))}},
		&Method{Doc: Doc{Does: k.FromDoc}, Name: "Parse" + u.Go, Params: []Var{{Name: "s", Type: "string"}},
			Results: []Var{{Type: u.Go}, {Type: "error"}}, Zero: []Value{composite(u.Go)},
			Steps: []Step{Try{Into: "v", Call: of("codes", k.From, text(u.Go), val("s"))}, ret(converted(u.Go, val("v")), null)}},
	}
}
