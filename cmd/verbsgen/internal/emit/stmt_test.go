package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
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
		{op(id("a"), "&^", inHex(31)), "a &^ 0x1f"},
		{define("a", "err").Add(id("f")).Call(), "a, err := f()"},
		{assign(id("a"), dec(1<<63)), "a = 9223372036854775808"},
		{id("T").Values(key("A", jen.Lit(1))), "T{A: 1}"},
		{goType("*pdalloc.Calls[PD]"), "*pdalloc.Calls[PD]"},
		{jen.Func().Id("f").Params(param("p", "...*object.Node")).Block(), "func f(p ...*object.Node) {}"},
		{fail{jen.Nil(), jen.Lit(0)}.with(id("err")), "return nil, 0, err"},
		{fail(nil).with(id("err")), "return err"},
		{define("f").Func().Params().Add(short(jen.Return(id("x")))), "f := func() { return x }"},
	} {
		if got := fmt.Sprintf("%#v", c.code); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestValues prints a value of each kind.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		value plan.Value
		want  string
	}{
		{plan.Value{Path: "pd.h.C"}, "pd.h.C"},
		{plan.Value{Type: "math", Path: "MaxUint64"}, "math.MaxUint64"},
		{plan.Value{As: plan.Literal, Text: "0x1f"}, "0x1f"},
		{plan.Value{As: plan.Literal, Text: `"a\"b"`}, `"a\"b"`},
		{plan.Value{As: plan.Address, Path: "pd.node"}, "&pd.node"},
		{plan.Value{As: plan.Converted, Type: "*cDevice", Args: []plan.Value{{Path: "c"}}}, "(*cDevice)(c)"},
		{plan.Value{As: plan.Converted, Type: "[]cDevice"}, "[]cDevice"},
		{plan.Value{As: plan.Operation, Text: "!=", Args: []plan.Value{{Path: "pd.dev"}, {Path: "mr.dev"}}}, "pd.dev != mr.dev"},
		{plan.Value{As: plan.Function, Func: &plan.Func{Params: []plan.Var{{Name: "c", Type: "unsafe.Pointer"}},
			Results: []plan.Var{{Name: "err", Type: "error"}},
			Then:    []plan.Step{plan.Return{Values: []plan.Value{{Path: "nil"}}}}}}, "func(c unsafe.Pointer) (err error) {\n\treturn nil\n}"},
		{plan.Value{As: plan.Result, Type: "cmem", Path: "At", Of: "uint32", Args: []plan.Value{{Path: "qp.c"}, {Path: "x"}}},
			"cmem.At[uint32](qp.c, x)"},
		{plan.Value{As: plan.Composite, Type: "GID"}, "GID{}"},
		{plan.Value{As: plan.Composite, Type: "*PD", With: []plan.Entry{{Name: "c", Value: plan.Value{Path: "c"}}}}, "&PD{c: c}"},
		{plan.Value{As: plan.Symbol, Path: "o.lib", Text: "ibv_x"}, "o.lib.fn[symIbv_x]"},
		{plan.Value{As: plan.Result, Type: "dpath", Path: "PollSpin", Args: []plan.Value{{Path: "cq.c"}}}, "dpath.PollSpin(cq.c)"},
	} {
		if got := strings.TrimPrefix(fmt.Sprintf("%#v", define("x").Add(printer{}.value(c.value))), "x := "); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// TestSteps prints steps that every method is made of.
func TestSteps(t *testing.T) {
	p := printer{zero: fail{jen.Nil()}}
	for _, c := range []struct {
		step plan.Step
		want string
	}{
		{plan.Name{Verb: "ibv_reg_mr"}, "const verb = \"ibv_reg_mr\""},
		{plan.Enter{Handle: "mr"}, "if err := mr.base().Enter(verb); err != nil {\n\treturn nil, err\n}\ndefer mr.h.Exit()"},
		{plan.Lock{Mutex: "o.mu"}, "o.mu.Lock()\ndefer o.mu.Unlock()"},
		{plan.Keep{}, "held.Rename(&o.h)\no.h.Kept, release = release, nil // kept until Close has succeeded"},
		{plan.Missing{Verb: "ibv_x", Lib: "l", Symbols: []string{"ibv_x2", "ibv_x"}},
			"if l.fn[symIbv_x2] == 0 && l.fn[symIbv_x] == 0 {\n\treturn nil, l.missing(\"ibv_x\", symIbv_x2)\n}"},
		{plan.Assign{To: []string{"a.mask"}, Op: "|=", Values: []plan.Value{{As: plan.Literal, Text: "0x4"}}, Remark: "IBV_X"},
			"a.mask |= 0x4 // IBV_X"},
		{plan.Call{By: plan.Value{As: plan.Result, Path: "rawX"}, Answer: plan.Pointer, Into: "ptr",
			Failure: plan.Failure{By: "calls", Gone: true}},
			"ptr, errno := rawX()\nif ptr == nil {\n\treturn nil, calls.Failed(verb, errno, func() []string { return " +
				"devmem.GoneHints(errno) })\n}"},
		{plan.Call{By: plan.Value{As: plan.Result, Path: "rawX"}, Answer: plan.Errno, Failure: plan.Failure{Verb: "ibv_x", Spare: "o.dev.gone"}},
			"if errno := rawX(); errno != 0 && !o.dev.gone(errno) {\n\treturn nil, verr.Failed(\"ibv_x\", errno, nil)\n}"},
		{plan.Batch{Call: plan.Value{As: plan.Result, Path: "notify"}, Failed: plan.Value{Path: "failed"}},
			"errno := notify()\nif errno != 0 {\n\treturn failed\n}"},
		{plan.Batch{Into: "n", Call: plan.Value{As: plan.Result, Path: "poll"}, Failed: plan.Value{Path: "failed"},
			Else: plan.Value{As: plan.Literal, Text: "0"}},
			"n, errno := poll()\nif errno != 0 {\n\treturn 0, failed\n}"},
	} {
		got := strings.TrimSpace(fmt.Sprintf("%#v", jen.Func().Id("f").Params().Block(p.steps([]plan.Step{c.step})...)))
		if want := "func f() {\n\t" + strings.ReplaceAll(c.want, "\n", "\n\t") + "\n}"; got != want {
			t.Errorf("%T: got\n%s\nwant\n%s", c.step, got, want)
		}
	}
}
