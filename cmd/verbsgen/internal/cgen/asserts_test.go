package cgen

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Each number and name that an assertion stands for is changed in turn: the compiler must refuse, with our words.
func TestAssertsFail(t *testing.T) {
	h, err := ABI(small())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		bend func(*api.Release)
		want string
	}{
		"size":            {func(r *api.Release) { r.Records[1].Size = 24 }, "union t_gid: size is not 24"},
		"alignment":       {func(r *api.Release) { r.Records[1].Align = 4 }, "union t_gid: alignment is not 4"},
		"offset":          {func(r *api.Release) { r.Records[0].Fields[3].Offset = 28 }, "struct t_dm.handle: offset is not 28"},
		"offset, dotted":  {func(r *api.Release) { r.Records[1].Fields[3].Offset = 4 }, "union t_gid.global.interface_id: offset is not 4"},
		"offset, unnamed": {func(r *api.Release) { r.Records[2].Fields[5].Offset = 16 }, "struct t_attr.hi: offset is not 16"},
		"size of a field": {func(r *api.Release) { r.Records[1].Fields[0].Size = 8 }, "union t_gid.raw: size is not 8"},
		"type of a field": {func(r *api.Release) { r.Records[0].Fields[3].Type = "int32_t" }, "struct t_dm.handle: type is not int32_t"},
		"type of a function pointer": {func(r *api.Release) { r.Records[0].Fields[2].Type = "void *(*)(unsigned int)" },
			"struct t_dm.alloc: type is not void *(*)(unsigned int)"},
		"enumerator":     {func(r *api.Release) { r.Enums[0].Enumerators[1].Value = 1 }, "T_RATE_2: value is not 1"},
		"enumerator < 0": {func(r *api.Release) { r.Enums[1].Enumerators[0].Value = -2 }, "T_MODE_NONE: value is not -2"},
		"sign":           {func(r *api.Release) { r.Enums[0].Signed = true }, "enum t_rate: not signed"},
		"no sign":        {func(r *api.Release) { r.Enums[1].Signed = false }, "enum t_mode: not unsigned"},
		"width":          {func(r *api.Release) { r.Enums[0].Enumerators[2].Value = 1 << 40 }, "enum t_rate: size is not 8"},
		"macro":          {func(r *api.Release) { r.Macros[0].Value = int64(1) << 35 }, "T_CAP: value is not 0x800000000ULL"},
		"second name":    {func(r *api.Release) { r.Aliases[1].Of = "T_RATE_3" }, "T_SPEED_2: value is not T_RATE_3"},
		"second tag": {func(r *api.Release) { r.Aliases[2].Of = "t_other"; r.Aliases[2].Kind = "union" },
			"union t_id: type is not union t_other *"},
		"parameter": {func(r *api.Release) { r.Functions[2].Params[0].Type = "unsigned int *" },
			"t_list: type is not struct t_device **(unsigned int *num)"},
		"result": {func(r *api.Release) { r.Functions[1].Ret = "int" }, "t_tick: type is not int (void)"},
	} {
		rel := small()
		tc.bend(rel)
		text, err := Asserts(rel, `"t.h"`)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, ok := compile(t, "gcc", "c11", h, text)
		want := tc.want + ": the emitted header and the facts of rdma-core 9.9 differ: a stale header, or a fault of the emitter; run " +
			"make generate"
		if ok || !strings.Contains(out, want) {
			t.Errorf("%s: accepted %v, gcc says\n%s\nwant %s", name, ok, out, want)
		}
	}
}

func TestAssertsRefuse(t *testing.T) {
	rel := small()
	rel.Functions[0].Ret = "lost_t"
	if text, err := Asserts(rel, `"t.h"`); err == nil ||
		!strings.Contains(err.Error(), `type "lost_t": neither the facts nor libc have it`) {
		t.Errorf("%s, error %v", text, err)
	}
}
