package gogen

import (
	"fmt"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// TestConditionsOfNoPage prints the conditions that pages may have and those of the project do not: verbsgen check compares the others.
func TestConditionsOfNoPage(t *testing.T) {
	named := func(name string, bit uint64) *model.Cond {
		return cond.Leaf(cond.Operand, &model.Operand{Name: name, Text: name, Bit: bit})
	}
	sum := cond.Of(cond.Sum, named("a", 0), named("b", 0))
	for want, n := range map[string]*model.Cond{
		"!fail.SumAbove(in.a, in.b, in.x)": cond.Test(cond.Le, sum, named("x", 0)),
		"!fail.BadTransition(transitions, in.m, in.from, in.to)": cond.Of(
			cond.Not, cond.Test(cond.BadTransition, named("m", 0), named("from", 0), named("to", 0))),
		"fail.Count(in.m&0x1 != 0, in.b != 0) > in.x": cond.Test(
			cond.Gt, cond.Of(cond.Given, named("to", 1), named("b", 0)).Masked(named("m", 0)), named("x", 0)),
	} {
		if got := fmt.Sprintf("%#v", newTerms(&emitter{pkg: &model.Package{}}).cond(&model.Rule{}, n, true).code()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
