package cond

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// text writes a tree in one line.
func text[T any](n *Node[T]) string {
	out := map[Op]string{All: "All", Not: "Not", Set: "Set", Gt: "Gt", Given: "Given"}[n.Op]
	if n.Op == Operand || n.Op == Flags {
		out = fmt.Sprint(n.Of)
	}
	if n.Mask != nil {
		out += "/" + text(n.Mask)
	}
	var sub []string
	for _, s := range n.Sub {
		sub = append(sub, text(s))
	}
	if len(sub) > 0 {
		out += "(" + strings.Join(sub, " ") + ")"
	}
	return out
}

// TestTree builds a tree of texts, with what a rule does not have left out, and maps it to numbers.
func TestTree(t *testing.T) {
	leaf := func(s string) *Node[string] { return Leaf(Operand, s) }
	var none *Node[string]
	if Test(Eq, leaf("1"), none) != nil || Of(All, none, Test(Set, none)) != nil || Of(Not, none) != nil {
		t.Error("a test of what is not given is made")
	}
	if one := Test(Set, leaf("1")); Of(All, none, one) != one || Of(Any, one) != one || Of(Not, one) == one {
		t.Error("one condition is joined with nothing")
	}
	tree := Of(All, Test(Set, leaf("1")), none, Of(Not, Test(Gt, Of(Given, leaf("2"), leaf("3")).Masked(leaf("4")), Leaf(Flags, "5"))))
	tens := Map(tree, func(s string) int { i, _ := strconv.Atoi(s); return 10 * i })
	if got, want := text(tree), "All(Set(1) Not(Gt(Given/4(2 3) 5)))"; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
	if got, want := text(tens), "All(Set(10) Not(Gt(Given/40(20 30) 50)))"; got != want {
		t.Errorf("mapped, the tree is %s, want %s", got, want)
	}
	var order []string
	for n := range tree.Nodes() {
		if n.Of != "" {
			order = append(order, n.Of)
		}
	}
	for range none.Nodes() {
		t.Error("nothing has a node")
	}
	for n := range tree.Nodes() {
		if n.Op == Given {
			break // and nothing is asked for behind it
		}
	}
	if got := strings.Join(order, ""); got != "14235" {
		t.Errorf("Nodes are %s, want the mask before what it masks: 14235", got)
	}
	if tree.Subject().Of != "1" || tree.Sub[1].Subject().Op != Given {
		t.Error("Subject is not what the first test looks at")
	}
	if Map[string, int](nil, nil) != nil {
		t.Error("nothing is mapped to something")
	}
}
