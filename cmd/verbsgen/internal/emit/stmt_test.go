package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestExpressions renders each expression of the vocabulary by itself.
func TestExpressions(t *testing.T) {
	x := id("o", "dev.lib")
	for _, c := range []struct {
		code *jen.Statement
		want string
	}{
		{x, "o.dev.lib"},
		{id("a.b", "c"), "a.b.c"},
		{dot(x, "fn", "a.b"), "o.dev.lib.fn.a.b"},
		{x, "o.dev.lib"}, // as it was
		{rt("verr", "Failed").Call(id("verb")), "verr.Failed(verb)"},
		{goType("[64]byte"), "[64]byte"},
		{goType("[]*dpath.WC"), "[]*dpath.WC"},
		{ptr("MR"), "*MR"},
		{unsafeRef(id("attrC")), "unsafe.Pointer(&attrC)"},
		{op(id("a"), "&^", inHex(31)), "a &^ 0x1f"},
		{define("a", "err").Add(id("f")).Call(), "a, err := f()"},
		{assign(id("a"), dec(1<<63)), "a = 9223372036854775808"},
		{id("T").Values(key("A", jen.Lit(1))), "T{A: 1}"},
		{setBit(id("a.mask"), 4, "IBV_X"), "a.mask |= 0x4 // IBV_X"},
		{fail{jen.Nil(), jen.Lit(0)}.with(id("err")), "return nil, 0, err"},
		{fail(nil).with(id("err")), "return err"},
		{define("f").Func().Params().Add(short(jen.Return(id("x")))), "f := func() { return x }"},
	} {
		if got := fmt.Sprintf("%#v", c.code); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestStatements renders the statements that methods are put together from.
func TestStatements(t *testing.T) {
	none := fail{jen.Nil()}
	for _, c := range []struct {
		name string
		code []jen.Code
		want string
	}{
		{"enterHandle", enterHandle(id("mr"), none), "if err := mr.enter(verb); err != nil {\n\treturn nil, err\n}\ndefer mr.node.Exit()"},
		{"ifErr", []jen.Code{none.ifErr()}, "if err != nil {\n\treturn nil, err\n}"},
		{"lockUntilReturn", lockUntilReturn(id("o.mu")), "o.mu.Lock()\ndefer o.mu.Unlock()"},
		{"releaseUnlessKept", []jen.Code{releaseUnlessKept()}, "defer func() {\n\tif release != nil {\n\t\trelease()\n\t}\n}()"},
		{"constVerb", []jen.Code{constVerb("ibv_reg_mr")}, "const verb = \"ibv_reg_mr\""},
		{"lines", []jen.Code{define("in").Id("inX").Add(lines(key("a", id("b")), nil, key("abc", id("d"))))}, "in := inX{\n\ta:   b,\n\tabc: d,\n}"},
		{"ifNoHandle", []jen.Code{ifNoHandle(id("qp"), "errPostSend", fail{jen.Lit(0)})}, "if qp == nil {\n\treturn 0, errPostSend.Closed()\n}"},
		{"nothing", []jen.Code{nil, (*jen.Statement)(nil)}, ""},
	} {
		got := strings.TrimSpace(fmt.Sprintf("%#v", jen.Func().Id("f").Params().Block(c.code...)))
		want := "func f() {\n\t" + strings.ReplaceAll(c.want, "\n", "\n\t") + "\n}"
		if c.want == "" {
			want = "func f() {}"
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
