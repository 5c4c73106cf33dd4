package bind

import (
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// unionPage has the one type that the shapes of C types ask for by name.
const unionPage = `page: ibv_query_gid
title: a union
release: "65.0"
unions:
  GID: {c: ibv_gid, shows: raw, doc: a GID}
`

// TestRolesFitCTypes compares every role with C types that fit and with C types that do not.
func TestRolesFitCTypes(t *testing.T) {
	union := spec.Param{Type: "GID"}
	typed, untyped := spec.Param{Type: "Some"}, spec.Param{}
	tests := []struct {
		role  *role.Role
		param spec.Param
		verb  spec.Verb
		fits  []string
		not   []string
	}{
		{role: role.Handle, param: typed, fits: []string{"struct tap *", "const struct tap *"}, not: []string{"struct tap **", "int", "void *",
			"struct tap"}},
		{role: role.Handle, param: untyped, fits: []string{"struct tap *", "struct tap **"}, not: []string{"int", "void *"}},
		{role: role.Handles, param: typed, fits: []string{"struct tap **", "struct tap *const *"}, not: []string{"struct tap *", "void **"}},
		{role: role.Counted, param: untyped, fits: []string{"struct bytes *", "const struct bytes *"},
			not: []string{"struct tap *", "struct bytes **", "struct bytes"}},
		{role: role.In, param: untyped, fits: []string{"int", "uint8_t", "enum tap_bits", "__be32"}, not: []string{"void *", "union ibv_gid *",
			"struct tap", "int[4]"}},
		{role: role.In, param: union, fits: []string{"union ibv_gid *", "const union ibv_gid *"}, not: []string{"int", "struct tap *",
			"union ibv_gid"}},
		{role: role.In, param: spec.Param{C: "own"}, verb: spec.Verb{Methods: []spec.Method{{Go: "Tap.Turn",
			Fixed: map[string]string{"own": "NULL"}}}},
			fits: []string{"void *", "struct tap **", "int"}, not: []string{"int (*)(void)"}},
		{role: role.In, param: spec.Param{From: "wr.flow"}, fits: []string{"const struct tap *"}},
		{role: role.Flags, param: typed, fits: []string{"int", "uint64_t", "enum tap_bits"}, not: []string{"__be32", "int *", "struct tap *"}},
		{role: role.Enum, param: typed, fits: []string{"int", "enum tap_bits"}, not: []string{"__be16", "char *"}},
		{role: role.InRecord, param: typed, fits: []string{"struct tap *", "const struct tap *"}, not: []string{"struct tap **", "uint32_t *",
			"struct tap"}},
		{role: role.OutRecord, param: typed, fits: []string{"struct tap *"}, not: []string{"const struct tap *", "struct tap **", "void *"}},
		{role: role.InOutRecord, param: typed, fits: []string{"struct tap *"}, not: []string{"const struct tap *", "struct tap **", "void *"}},
		{role: role.Out, param: untyped, fits: []string{"int *", "uint8_t *", "char *", "enum tap_bits *", "__be16 *"},
			not: []string{"const int *", "int **", "void *", "struct tap *", "int"}},
		{role: role.Out, param: union, fits: []string{"union ibv_gid *"}, not: []string{"const union ibv_gid *", "int *"}},
		{role: role.InOut, param: untyped, fits: []string{"int *", "uint8_t *"}, not: []string{"const int *", "int", "__be16 *", "void *"}},
		{role: role.Text, param: untyped, fits: []string{"const char *"}, not: []string{"char *", "const void *", "const char **"}},
		{role: role.Text, param: spec.Param{Reads: true}, fits: []string{"char *"}, not: []string{"void *"}},
		{role: role.Bytes, param: untyped, fits: []string{"struct tap *"}, not: []string{"struct hidden *", "void *"}},
		{role: role.Slice, param: typed, fits: []string{"struct tap *"}, not: []string{"int *", "struct tap **"}},
		{role: role.Filled, param: typed, fits: []string{"struct tap *"}, not: []string{"const struct tap *", "uint32_t *"}},
		{role: role.Filled, param: untyped, fits: []string{"void *", "char *", "uint32_t *"},
			not: []string{"const uint32_t *", "__be16 *", "struct tap *", "const void *"}},
		{role: role.Pair, param: untyped, fits: []string{"struct tap *"},
			not: []string{"const struct tap *", "struct hidden *", "void *"}},
		{role: role.Addr, param: untyped, fits: []string{"void *", "const void *", "uint8_t *"}, not: []string{"struct tap *", "void **",
			"uint64_t"}},
		{role: role.Len, param: spec.Param{C: "n"}, fits: []string{"size_t", "int", "uint32_t"}, not: []string{"uint8_t", "size_t *", "__be32"}},
		{role: role.Len, param: spec.Param{C: "n"}, verb: spec.Verb{Params: []spec.Param{{C: "tune", Role: role.Data, Len: "n"}}},
			fits: []string{"uint8_t", "size_t"}, not: []string{"size_t *"}},
		{role: role.Len, param: spec.Param{C: "n"}, verb: spec.Verb{Params: []spec.Param{{C: "taps", Role: role.Slice, Len: "n"}}},
			fits: []string{"uint16_t", "int"}, not: []string{"__be16"}},
		{role: role.Block, param: untyped, fits: []string{"const void *"}, not: []string{"void *", "const struct tap *"}},
		{role: role.Data, param: untyped, fits: []string{"const void *", "const uint8_t *"}, not: []string{"void *", "const struct tap *"}},
		{role: role.Data, param: spec.Param{Reads: true}, fits: []string{"void *", "const void *", "__be64 *"}, not: []string{"void **"}},
		{role: role.Sockaddr, param: untyped, fits: []string{"struct sockaddr *", "const struct sockaddr *"}, not: []string{"struct tap *",
			"void *"}},
		{role: role.Given, param: typed, fits: []string{"struct tap **"}, not: []string{"struct tap *", "void **"}},
		{role: role.Made, param: untyped, verb: spec.Verb{Creates: "Tap"}, fits: []string{"struct tap **"}, not: []string{"struct tap *"}},
		{role: role.Made, param: untyped, not: []string{"struct tap **"}},
		{role: role.OutMask, param: typed, fits: []string{"int *", "uint32_t *"}, not: []string{"int", "const int *", "__be32 *", "int **"}},
		{role: role.Size, param: typed, fits: []string{"uint32_t", "size_t"}, not: []string{"size_t *", "__be32"}},
		{role: role.Mask, param: typed, fits: []string{"int", "uint32_t"}, not: []string{"int *", "__be32"}},
	}
	sp, err := spec.Load(fstest.MapFS{"ibv_query_gid.yaml": {Data: []byte(unionPage)}})
	if err != nil {
		t.Fatal(err)
	}
	facts := spec.NewFacts(&api.Release{
		Records: []api.Record{{Tag: "struct bytes", Size: 8, Fields: []api.Field{{Name: "n", Type: "size_t"}, {Name: "b", Type: "uint64_t[]"}}},
			{Tag: "struct tap"}, {Tag: "struct hidden", Incomplete: true}, {Tag: "union ibv_gid"}},
		Enums: []api.Enum{{Tag: "enum tap_bits"}}})
	b := &binder{Spec: sp, facts: facts}
	looked := map[*role.Role]bool{}
	for _, tt := range tests {
		looked[tt.role] = true
		tt.param.Role = tt.role
		for want, ctypes := range map[bool][]string{true: tt.fits, false: tt.not} {
			for _, ctype := range ctypes {
				if got := b.hasRole(&tt.verb, &tt.param, facts.TypeOf(ctype)); got != want {
					t.Errorf("%s fits role %s of %+v: %v, want %v", ctype, tt.role, tt.param, got, want)
				}
			}
		}
	}
	for _, r := range role.All() {
		if !looked[r] {
			t.Errorf("no C type was compared with role %s", r)
		}
		if len(r.Fits) == 0 || r.C == "" || r.Go == "" {
			t.Errorf("role %s does not say which C types fit, or what it becomes", r)
		}
	}
}
