package emit

import (
	"math/big"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// TestCaseNumbers reads the values that a case gives to arguments: a name that there is not is an error, never 0.
func TestCaseNumbers(t *testing.T) {
	consts := map[string]*big.Int{"A": big.NewInt(1), "B": big.NewInt(6)}
	for _, c := range []struct {
		value any
		want  int64
		wrong string
	}{
		{nil, 0, ""}, {true, 1, ""}, {big.NewInt(7), 7, ""}, {"A", 1, ""}, {" A | B ", 7, ""}, {"0x10", 16, ""}, {"-1", -1, ""}, {"@x", someValue, ""},
		{[]any{"A", big.NewInt(8)}, 9, ""}, {map[string]any{}, someValue, ""},
		{"C", 0, `no constant "C"`}, {"A|C", 0, `no constant "C"`}, {[]any{"A", "C"}, 0, `no constant "C"`}, {"", 0, `no constant ""`}, {1.5, 0, "a value of type float64"},
	} {
		got, err := number(c.value, consts)
		switch {
		case c.wrong != "" && (err == nil || err.Error() != c.wrong):
			t.Errorf("%v: error %v, want %s", c.value, err, c.wrong)
		case c.wrong == "" && (err != nil || got.Int64() != c.want):
			t.Errorf("%v: %v, error %v, want %d", c.value, got, err, c.want)
		}
	}

	e := newEmitter(&model.Package{Name: "p"})
	v := &model.Verb{C: "x_open"}
	e.inputs[v] = []model.Operand{{Kind: model.OpArg, Name: "mode", Text: "mode"}}
	e.literal(v, map[string]any{"mode": "C"}, nil)
	if _, err := e.finish(); err == nil || !strings.Contains(err.Error(), `internal error: x_open: mode in a case of a rule: no constant "C"`) {
		t.Errorf("an unknown name in a case: error %v", err)
	}
}

// TestNeutral shows what stands for an argument that a case leaves out: it follows from roles, not from names.
func TestNeutral(t *testing.T) {
	memory, length, plain, hook := &model.Leaf{GoType: "uintptr"}, &model.Leaf{GoType: "uint64"}, &model.Leaf{GoType: "uint64"}, &model.Leaf{GoType: "uintptr"}
	rec := &model.Record{Fields: []*model.Field{{Leaf: memory, Len: length}, {Leaf: plain}}}
	attr := &model.Param{C: "attr", Record: rec}
	size := &model.Param{C: "size", Role: spec.RoleLen}
	addr := &model.Param{C: "at", Role: spec.RoleAddr, Len: size}
	count := &model.Param{C: "length", Role: spec.RoleLen}
	v := &model.Verb{Params: []*model.Param{{C: "pd", Object: &model.Object{}}, attr, addr, size, {C: "list", Role: spec.RoleSlice, Len: count}, count}}
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
