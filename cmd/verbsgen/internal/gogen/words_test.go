package gogen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// TestExpressions renders each expression of the vocabulary by itself.
func TestExpressions(t *testing.T) {
	x := id("o", "dev.lib")
	qp := &model.Object{Mirror: &model.Mirror{Name: "cQP", Leaf: []*model.Leaf{
		{Go: "state", C: "state", GoType: "uint32"}, {Go: "pd", C: "pd", GoType: pointer}}}}
	for _, c := range []struct {
		code *jen.Statement
		want string
	}{
		{x, "o.dev.lib"},
		{id("a.b", "c"), "a.b.c"},
		{dot(x, "fn", "a.b"), "o.dev.lib.fn.a.b"},
		{x, "o.dev.lib"}, // as it was
		{rt("fail", "Failed").Call(id("verb")), "fail.Failed(verb)"},
		{goType("[64]byte"), "[64]byte"},
		{goType("[]*dpath.WC"), "[]*dpath.WC"},
		{ptr("MR"), "*MR"},
		{op(id("a"), "&^", inHex(31)), "a &^ 0x1f"},
		{define("a", "err").Add(id("f")).Call(), "a, err := f()"},
		{assign(id("a"), dec(1<<63)), "a = 9223372036854775808"},
		{id("T").Values(key("A", jen.Lit(1))), "T{A: 1}"},
		{goType("*cmem.AllocCalls[PD]"), "*cmem.AllocCalls[PD]"},
		{jen.Func().Id("f").Params(param("p", "...*object.Node")).Block(), "func f(p ...*object.Node) {}"},
		{fail{jen.Nil(), jen.Lit(0)}.with(id("err")), "return nil, 0, err"},
		{fail(nil).with(id("err")), "return err"},
		{conversion("*cDevice", id("c")), "(*cDevice)(c)"},
		{cField(qp, "qp.h.C", "state"), "(*cQP)(qp.h.C).state"},
		{cNumber(qp, "qp.h.C", "pd"), "uintptr((*cQP)(qp.h.C).pd)"},
		{cAt("uint32", "wr.Request", 28), "cmem.At[uint32](wr.Request, 28)"},
		{methodOf("AHAttr", "to"), "(*AHAttr).to"},
		{define("f").Add(function(types("error"), jen.Return(jen.Nil()))), "f := func() error {\n\treturn nil\n}"},
		{join("||", true, id("a"), id("b")), "a ||\n\tb"},
		{define("f").Func().Params().Add(short(jen.Return(id("x")))), "f := func() { return x }"},
	} {
		if got := fmt.Sprintf("%#v", c.code); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestStatements renders what every method is made of.
func TestStatements(t *testing.T) {
	none := fail{jen.Nil()}
	raw := id("rawX").Call()
	for want, code := range map[string][]jen.Code{
		"const verb = \"ibv_reg_mr\"": {verbConst("ibv_reg_mr")},
		"if err := mr.base().Enter(verb); err != nil {\n\treturn nil, err\n}\ndefer mr.h.Exit()": {none.enter("mr")},
		"o.mu.Lock()\ndefer o.mu.Unlock()": {lock("o.mu")},
		"if l.fn[symIbv_x2] == 0 && l.fn[symIbv_x] == 0 {\n\treturn nil, l.missing(\"ibv_x\", symIbv_x2)\n}": {
			none.missing("ibv_x", "l", []*model.Symbol{{Name: "ibv_x2"}, {Name: "ibv_x"}})},
		"a.mask |= 0x4 // IBV_X": {remark(op(id("a.mask"), "|=", inHex(4)), "IBV_X")},
		"ptr, errno := rawX()\nif ptr == nil {\n\treturn nil, calls.Failed(verb, errno, func() []string {\n\t\treturn " +
			"devmem.GoneHints(errno)\n\t})\n}": none.call("ptr", raw, byPointer, failure{by: "calls", gone: true}),
		"if errno := rawX(); errno != 0 && !o.dev.gone(errno) {\n\treturn nil, fail.Failed(\"ibv_x\", errno, nil)\n}": none.call("", raw, byErrno,
			failure{verb: "ibv_x", spare: "o.dev.gone"}),
	} {
		got := strings.TrimSpace(fmt.Sprintf("%#v", jen.Func().Id("f").Params().Block(code...)))
		if want := "func f() {\n\t" + strings.ReplaceAll(want, "\n", "\n\t") + "\n}"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
