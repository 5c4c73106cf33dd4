package gogen

import (
	"math/big"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestCaseNumbers reads the values that a case gives to arguments; bind has resolved the names of constants.
func TestCaseNumbers(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int64
	}{
		{nil, 0}, {true, 1}, {false, 0}, {big.NewInt(-7), -7}, {[]any{big.NewInt(1), big.NewInt(8)}, 9}, {map[string]any{}, someValue},
		{"@x", someValue},
	} {
		if got := number(c.value); got.Int64() != c.want {
			t.Errorf("%v: %v, want %d", c.value, got, c.want)
		}
	}
}

// TestNeutral shows what stands for an argument that a case leaves out: it follows from roles, not from names.
func TestNeutral(t *testing.T) {
	memory, length, plain, hook := &model.Leaf{GoType: "uintptr"}, &model.Leaf{GoType: "uint64"}, &model.Leaf{GoType: "uint64"},
		&model.Leaf{GoType: "uintptr"}
	rec := &model.Record{Fields: []*model.Field{{Leaf: memory, Len: length}, {Leaf: plain}}}
	attr := &model.Param{C: "attr", Record: rec}
	size := &model.Param{C: "size", Role: role.Len}
	addr := &model.Param{C: "at", Role: role.Addr, Len: size}
	count := &model.Param{C: "length", Role: role.Len}
	v := &model.Verb{Params: []*model.Param{{C: "pd", Object: &model.Object{}}, attr, addr, size,
		{C: "list", Role: role.Slice, Len: count}, count}}
	for _, c := range []struct {
		what string
		o    model.Operand
		want int64
	}{
		{"a handle", model.Operand{Param: v.Params[0]}, someValue},
		{"a record", model.Operand{Param: attr}, someValue},
		{"an address", model.Operand{Param: addr}, someValue},
		{"the length of memory", model.Operand{Param: size}, someValue},
		{"the length of a list", model.Operand{Param: count}, 0},
		{"memory in a record", model.Operand{Param: attr, Leaf: memory, Bit: 2}, someValue},
		{"its length", model.Operand{Param: attr, Leaf: length}, someValue},
		{"another number", model.Operand{Param: attr, Leaf: plain}, 0},
		{"a pointer in a record", model.Operand{Param: attr, Leaf: hook}, someValue},
		{"a pointer with a bit", model.Operand{Param: attr, Leaf: hook, Bit: 4}, 0},
		{"a capability", model.Operand{Kind: model.OpCap}, 0},
	} {
		if got := neutral(v, c.o); got.Int64() != c.want {
			t.Errorf("%s: %v, want %d", c.what, got, c.want)
		}
	}
}
