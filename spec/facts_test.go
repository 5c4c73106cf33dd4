package spec

import (
	"math/big"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Where releases differ, the newest counts, in whatever order they are given; a header without a number is newest.
func TestFactsNewest(t *testing.T) {
	rel := func(name string, value int64) *api.Release {
		return &api.Release{Release: name, Enums: []api.Enum{{Tag: "enum tst", Enumerators: []api.Enumerator{{Name: "TST_LAST", Value: value}}}}}
	}
	for _, tt := range []struct {
		rels []*api.Release
		want int64
	}{
		{[]*api.Release{rel("9.0", 1), rel("33.2", 2), rel("65.0", 3)}, 3},
		{[]*api.Release{rel("65.0", 3), rel("33.2", 2), rel("9.0", 1)}, 3},
		{[]*api.Release{rel("", 4), rel("65.0", 3)}, 4},
	} {
		if got := NewFacts(tt.rels...).Const("TST_LAST"); got.Int64() != tt.want {
			t.Errorf("got %v, want %d", got, tt.want)
		}
	}
}

func TestFactsConst(t *testing.T) {
	f := NewFacts(&api.Release{
		Enums: []api.Enum{{Tag: "enum a", Enumerators: []api.Enumerator{{Name: "A", Value: -1}}}},
		Macros: []api.Macro{{Name: "M", Value: int64(7)}, {Name: "BIG", Value: uint64(1<<64 - 1)},
			{Name: "PTR", Value: "((void *)-1)"}, {Name: "TEXT", Value: "\"x\""}},
		Aliases: []api.Alias{{Name: "OTHER", Of: "A", Kind: "enumerator"}},
	})
	all := new(big.Int).SetUint64(1<<64 - 1)
	for name, want := range map[string]*big.Int{"A": big.NewInt(-1), "M": big.NewInt(7), "BIG": all, "PTR": all,
		"OTHER": big.NewInt(-1), "SIZE_MAX": all, "NULL": new(big.Int)} {
		if got := f.Const(name); got == nil || got.Cmp(want) != 0 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if f.Const("TEXT") != nil || f.Const("NONE") != nil {
		t.Error("a value where there is none")
	}
	if !f.Has("TEXT") || !f.Has("OTHER") || !f.Has("a") || !f.Has("enum a") || f.Has("SIZE_MAX") || f.Has("b") {
		t.Error("Has says what is declared, limits of C apart")
	}
}

func TestTypeOf(t *testing.T) {
	f := NewFacts(&api.Release{
		Records: []api.Record{{Tag: "struct tst_sge"}, {Tag: "struct ibv_mr"}},
		Enums:   []api.Enum{{Tag: "enum tst_e"}, {Tag: "enum tst_s", Signed: true}},
	})
	for c, want := range map[string]CType{
		"int":                     {Kind: CInt, Bits: 32, Signed: true},
		"unsigned int":            {Kind: CInt, Bits: 32},
		"size_t":                  {Kind: CInt, Bits: 64},
		"uint8_t":                 {Kind: CInt, Bits: 8},
		"int64_t":                 {Kind: CInt, Bits: 64, Signed: true},
		"__be16":                  {Kind: CInt, Bits: 16},
		"__u32":                   {Kind: CInt, Bits: 32},
		"uint8_t[16]":             {Kind: CInt, Bits: 8, Array: true},
		"enum tst_e":              {Kind: CInt, Bits: 32, Tag: "tst_e"},
		"enum tst_s":              {Kind: CInt, Bits: 32, Signed: true, Tag: "tst_s"},
		"const struct tst_sge *":  {Kind: CStruct, Tag: "tst_sge", Pointer: true},
		"struct tst_sge":          {Kind: CStruct, Tag: "tst_sge"},
		"struct ibv_mr *":         {Kind: CObject, Tag: "ibv_mr", Pointer: true},
		"struct ibv_mr **":        {Kind: COther, Tag: "ibv_mr", Pointer: true},
		"void *":                  {Kind: CAddr, Pointer: true},
		"uint64_t *":              {Kind: CAddr, Bits: 64, Pointer: true},
		"const char *":            {Kind: CText, Pointer: true},
		"char[64]":                {Kind: CText, Array: true},
		"void (*)(struct x *, a)": {Kind: CFunc, Pointer: true},
		"pthread_mutex_t":         {Kind: COther},
	} {
		got := f.TypeOf(c)
		got.C, got.record = "", nil
		if got != want {
			t.Errorf("%s: %+v, want %+v", c, got, want)
		}
	}
}

// A rule of a module names what the modules declare that it uses, though its own header does not.
func TestFactsLent(t *testing.T) {
	sp := must(Embedded("mlx5dv"))(t)
	m := sp.Module
	stored := must(api.KnownOf(m.Facts))(t)
	rel := must(stored.Load(stored.Newest()))(t)
	f := m.NewFacts(rel)
	if c := f.Const("IBV_SEND_INLINE"); c == nil || c.Int64() != 8 {
		t.Errorf("IBV_SEND_INLINE is %v, want 8", c)
	}
	if e := f.EnumOf("IBV_QPT_RC"); e == nil || e.Tag != "enum ibv_qp_type" {
		t.Errorf("IBV_QPT_RC is of %v", e)
	}
	if r := f.Record("struct ibv_qp_init_attr_ex"); r == nil || r.Incomplete {
		t.Errorf("struct ibv_qp_init_attr_ex is %v", r)
	}
	if r := f.Record("struct mlx5dv_qp_ex"); r == nil || r.Foreign {
		t.Errorf("the own struct mlx5dv_qp_ex is %v", r)
	}
}
