package gogen

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// TestBrokenConditions pins the Go condition of each kind of rule, from the keys of a page on. A, B and C are flags; dm and capN may
// be unknown, fd is signed, and cur and to have mask bits.
func TestBrokenConditions(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		rule spec.Rule
		want string
	}{
		{spec.Rule{Kind: spec.KindRequires, Subject: "x", If: []string{"B"}, Need: []string{"A"}}, "in.x&0x2 != 0 && in.x&0x1 != 0x1"},
		{spec.Rule{Kind: spec.KindExcludes, Subject: "x", If: []string{"B"}, Not: []string{"C"}}, "in.x&0x2 != 0 && in.x&0x4 != 0"},
		{spec.Rule{Kind: spec.KindExcludes, Fields: []string{"a", "b"}}, "fail.Count(in.a != 0, in.b != 0) > 1"},
		{spec.Rule{Kind: spec.KindExcludes, Fields: []string{"to", "b"}, Mask: "m"}, "fail.Count(in.m&0x1 != 0, in.b != 0) > 1"},
		{spec.Rule{Kind: spec.KindRequired, Fields: []string{"a", "b"}}, "fail.Count(in.a != 0, in.b != 0) == 0"},
		{spec.Rule{Kind: spec.KindRequired, Mask: "m", Bits: []string{"A", "C"}}, "in.m&0x5 != 0x5"},
		{spec.Rule{Kind: spec.KindAllowedSet, Subject: "x", Allow: []string{"A", "B", "4"}}, "in.x&^0x7 != 0"},
		{spec.Rule{Kind: spec.KindAllowedSet, Subject: "x", Values: []string{"1", "b"}}, "in.x != 1 && in.x != in.b"},
		{spec.Rule{Kind: spec.KindMandatory, Subject: "x", Need: []string{"C"}}, "in.x&0x4 != 0x4"},
		{spec.Rule{Kind: spec.KindGatedBy, Subject: "x", Mask: "m", Bit: "C"}, "in.x != 0 && in.m&0x4 == 0"},
		{spec.Rule{Kind: spec.KindNotNull, Subject: "x"}, "in.x == 0"},
		{spec.Rule{Kind: spec.KindRange, Subject: "x", Min: "1", Max: "9"}, "in.x < 1 || in.x > 9"},
		{spec.Rule{Kind: spec.KindRange, Subject: "fd", Min: "0"}, "in.fd < 0"},
		{spec.Rule{Kind: spec.KindRange, Sum: []string{"a", "b"}, Max: "dm"}, "in.dm.OK && fail.SumAbove(in.a, in.b, in.dm.V)"},
		{spec.Rule{Kind: spec.KindRange, Sum: []string{"a", "b"}}, "fail.SumAbove(in.a, in.b, math.MaxUint64)"},
		{spec.Rule{Kind: spec.KindAligned, Subject: "x", To: "4"}, "in.x%4 != 0"},
		{spec.Rule{Kind: spec.KindAligned, Subject: "x", SameAs: "b", To: "page"}, "in.x%fail.PageSize() != in.b%fail.PageSize()"},
		{spec.Rule{Kind: spec.KindCapBound, Subject: "x", Cap: "capN"}, "in.capN.OK && in.x > in.capN.V"},
		{spec.Rule{Kind: spec.KindCapBound, Sum: []string{"a", "b"}, Cap: "capN"}, "in.capN.OK && fail.SumAbove(in.a, in.b, in.capN.V)"},
		{spec.Rule{Kind: spec.KindCapBound, Subject: "x", If: []string{"A"}, Cap: "capN", CapHas: []string{"B"}},
			"in.capN.OK && in.x&0x1 != 0 && in.capN.V&0x2 != 0x2"},
		{spec.Rule{Kind: spec.KindCapBound, Subject: "x", Cap: "capN", CapHas: []string{"B"}}, "in.capN.OK && in.x != 0 && in.capN.V&0x2 != 0x2"},
		{spec.Rule{Kind: spec.KindCapBound, Cap: "capN", CapHas: []string{"B"}}, "in.capN.OK && in.capN.V&0x2 != 0x2"},
		{spec.Rule{Kind: spec.KindDependsOn, When: []spec.Atom{{Of: "a", Null: new(bool)}}, Must: []spec.Atom{{Of: "b", Eq: "1"}}},
			"in.a != 0 && in.b != 1"},
		{spec.Rule{Kind: spec.KindDependsOn, When: []spec.Atom{{Of: "x", Lacks: []string{"A"}}},
			Must: []spec.Atom{{Of: "b", Le: "1"}, {Of: "x", All: []string{"B", "C"}}}},
			"in.x&0x1 == 0 && (in.b > 1 || in.x&0x6 != 0x6)"},
		{spec.Rule{Kind: spec.KindDependsOn, Must: []spec.Atom{{Of: "b", In: []string{"1", "2"}}, {Of: "fd", Set: new(bool)}}},
			"in.b != 1 && in.b != 2 || in.fd != 0"},
		{spec.Rule{Kind: spec.KindMaskForTransition, Subject: "m", State: "dm", Assumed: "cur", Next: "to"},
			"in.dm.OK && fail.BadTransition(transitions0009, in.m, from, to)"},
	} {
		seen[c.rule.Kind] = true
		violated := cond.Map(c.rule.Violated(), resolved)
		r := &model.Rule{ID: "VR-v-m-0009", Checked: true, Violated: violated,
			Broken: cond.Of(cond.All, cond.Map(spec.Conditions(c.rule.When), resolved), violated)}
		if got := fmt.Sprintf("%#v", newTerms(&emitter{pkg: &model.Package{}}).broken(r).code()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.rule.Kind, got, c.want)
		}
	}
	for _, k := range spec.Kinds() {
		if !seen[k] {
			t.Errorf("kind %s is not printed", k)
		}
	}
}

// TestNot shows the opposites of conditions that no kind has alone.
func TestNot(t *testing.T) {
	sum := &model.Cond{Op: cond.Sum, Sub: []*model.Cond{named("a"), named("b")}}
	limit := cond.Test(cond.Le, sum, named("x"))
	for want, n := range map[string]*model.Cond{
		"!fail.SumAbove(in.a, in.b, in.x)": limit,
		"fail.SumAbove(in.a, in.b, in.x)":  cond.Of(cond.Not, limit),
		"in.a == 0 || in.b != 0": cond.Of(cond.Not,
			cond.Of(cond.All, cond.Test(cond.Set, named("a")), cond.Test(cond.Null, named("b")))),
		"(in.a == 0 || in.b == 0) && in.x < in.a": cond.Of(cond.All,
			cond.Of(cond.Any, cond.Test(cond.Null, named("a")), cond.Test(cond.Null, named("b"))),
			cond.Test(cond.Lt, named("x"), named("a"))),
		"in.fd >= 0": cond.Of(cond.Not, cond.Test(cond.Lt, named("fd"), named("0"))),
		"!fail.BadTransition(transitions, in.m, 0, 1)": cond.Of(
			cond.Not, cond.Test(cond.BadTransition, named("m"), named("0"), named("1"))),
	} {
		if got := fmt.Sprintf("%#v", newTerms(&emitter{pkg: &model.Package{}}).cond(&model.Rule{}, n, true).code()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// named is an operand of the tests.
func named(text string) *model.Cond {
	return cond.Leaf(cond.Operand, resolved(spec.Ref{Text: text}))
}

// resolved stands for bind in these tests.
func resolved(ref spec.Ref) *model.Operand {
	o := &model.Operand{Kind: model.OpConst, Text: ref.Text}
	for _, f := range ref.Flags {
		bit, ok := map[string]uint64{"A": 1, "B": 2, "C": 4}[f]
		if !ok {
			bit, _ = strconv.ParseUint(f, 0, 64)
		}
		o.Const |= bit
	}
	v, err := strconv.ParseUint(ref.Text, 0, 64)
	switch {
	case ref.Flags != nil:
	case err == nil:
		o.Const = v
	case ref.Text == "UINT64_MAX":
		o.Const = 1<<64 - 1
	case ref.Text == "page":
		o.Kind = model.OpPage
	default:
		o.Kind = map[string]string{"dm": model.OpProp, "capN": model.OpCap}[ref.Text]
		o.Name, o.Signed, o.Bit = ref.Text, ref.Text == "fd", map[string]uint64{"to": 1, "cur": 2}[ref.Text]
	}
	return o
}
