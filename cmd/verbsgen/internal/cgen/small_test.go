package cgen

import (
	"errors"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// small is a made-up release with one of each construct that a verbs header has, and some that it might get.
func small() *api.Release {
	return &api.Release{
		Release: "9.9",
		Functions: []api.Function{
			{Name: "t_open", Kind: api.Exported, Ret: "struct t_context *",
				Params: []api.Param{{Name: "device", Type: "struct t_device *"}, {Name: "name", Type: "const char *"}}},
			{Name: "t_tick", Kind: api.Exported, Ret: "void", Params: []api.Param{}},
			{Name: "t_list", Kind: api.Exported, Ret: "struct t_device **", Params: []api.Param{{Name: "num", Type: "int *"}}},
			{Name: "t_stamp", Kind: api.Redirect, Redirect: "__t_stamp", Ret: "enum t_rate",
				Params: []api.Param{{Name: "at", Type: "struct timespec"}, {Name: "gid", Type: "const union t_gid *"}}},
			{Name: "__t_stamp", Kind: api.Inline, Helper: true, Ret: "int", Params: []api.Param{{Name: "mode", Type: "enum t_mode"}},
				Dispatch: &api.Dispatch{Way: api.WaySpecial}},
			{Name: "t_read", Kind: api.Inline, Ret: "int", Params: []api.Param{{Name: "dm", Type: "struct t_dm *"}},
				Dispatch: &api.Dispatch{Way: api.WayOps, Object: "dm->context", Op: "read"}},
			{Name: "t_wait", Kind: api.Inline, Ret: "ssize_t", Params: []api.Param{{Name: "a", Type: "struct t_attr *"}},
				Dispatch: &api.Dispatch{Way: api.WayExport, Op: "_t_wait"}},
			{Name: "_t_wait", Kind: api.Exported, Helper: true, Ret: "ssize_t",
				Params: []api.Param{{Name: "a", Type: "struct t_attr *"}, {Name: "size", Type: "size_t"}}},
		},
		Records: []api.Record{
			{Tag: "struct t_dm", Size: 32, Align: 8, Fields: []api.Field{
				{Name: "context", Type: "struct t_context *", Offset: 0, Size: 8},
				{Name: "memcpy_to_dm", Type: "int (*)(struct t_dm *, uint64_t, const void *, size_t)", Offset: 8, Size: 8, Func: &api.FnType{Ret: "int",
					Params: []api.Param{{Name: "dm", Type: "struct t_dm *"}, {Name: "dm_offset", Type: "uint64_t"},
						{Name: "host_addr", Type: "const void *"}, {Name: "length", Type: "size_t"}}}},
				{Name: "alloc", Type: "void *(*)(size_t)", Offset: 16, Size: 8,
					Func: &api.FnType{Ret: "void *", Params: []api.Param{{Name: "size", Type: "size_t"}}}},
				{Name: "handle", Type: "uint32_t", Offset: 24, Size: 4},
			}},
			{Tag: "union t_gid", Size: 16, Align: 8, Fields: []api.Field{
				{Name: "raw", Type: "uint8_t[16]", Offset: 0, Size: 16},
				{Name: "global", Type: "struct t_gid.<anonymous 1>", Offset: 0, Size: 16},
				{Name: "global.subnet_prefix", Type: "__be64", Offset: 0, Size: 8},
				{Name: "global.interface_id", Type: "__be64", Offset: 8, Size: 8},
			}},
			{Tag: "struct t_attr", Size: 96, Align: 8, Fields: []api.Field{
				{Name: "gid", Type: "union t_gid", Offset: 0, Size: 16},
				{Name: "", Type: "union t_attr.<anonymous 1>", Offset: 16, Size: 8},
				{Name: "imm", Type: "__be32", Offset: 16, Size: 4},
				{Name: "", Type: "struct t_attr.<anonymous 2>", Offset: 16, Size: 8},
				{Name: "lo", Type: "__u32", Offset: 16, Size: 4},
				{Name: "hi", Type: "__u32", Offset: 20, Size: 4},
				{Name: "whole", Type: "__aligned_u64", Offset: 16, Size: 8},
				{Name: "wr", Type: "union t_attr.<anonymous 3>", Offset: 24, Size: 16},
				{Name: "wr.rdma", Type: "struct t_attr.<anonymous 4>", Offset: 24, Size: 16},
				{Name: "wr.rdma.addr", Type: "uint64_t", Offset: 24, Size: 8},
				{Name: "wr.rdma.rkey", Type: "uint32_t", Offset: 32, Size: 4},
				{Name: "wr.ud", Type: "uint32_t", Offset: 24, Size: 4},
				{Name: "rate", Type: "enum t_rate", Offset: 40, Size: 4},
				{Name: "next", Type: "struct t_attr *", Offset: 48, Size: 8},
				{Name: "ops", Type: "int (*[2])(void)", Offset: 56, Size: 16},
				{Name: "raw_clock", Type: "struct timespec", Offset: 72, Size: 16},
				{Name: "a", Type: "unsigned int", Offset: 88, Size: 4, BitOffset: ptr(0), BitSize: ptr(3)},
				{Name: "b", Type: "unsigned int", Offset: 88, Size: 4, BitOffset: ptr(3), BitSize: ptr(5)},
				{Name: "tail", Type: "uint8_t[]", Offset: 89, Size: 0},
			}},
			{Tag: "struct t_context", Size: 72, Align: 8, Fields: []api.Field{
				{Name: "ops", Type: "struct t_ops", Offset: 0, Size: 16},
				{Name: "device", Type: "struct t_device *", Offset: 16, Size: 8},
				{Name: "mutex", Type: "pthread_mutex_t", Offset: 24, Size: 40},
				{Name: "hidden", Type: "struct t_private *", Offset: 64, Size: 8},
			}, ARM64: &api.Layout{Size: 80, Align: 8, Offsets: []int64{0, 16, 24, 72}, Sizes: []int64{16, 8, 48, 8}}},
			{Tag: "struct t_ops", Size: 16, Align: 8, Fields: []api.Field{
				{Name: "read", Type: "int (*)(struct t_dm *, enum t_mode)", Offset: 0, Size: 8, Func: &api.FnType{Ret: "int",
					Params: []api.Param{{Type: "struct t_dm *"}, {Type: "enum t_mode"}}}},
				{Name: "old", Type: "void *(*)(void)", Offset: 8, Size: 8, Func: &api.FnType{Ret: "void *", Params: []api.Param{}}},
			}},
			{Tag: "struct t_list", Size: 40, Align: 8, Fields: []api.Field{
				{Name: "pairs", Type: "struct t_list.<anonymous 1>[2]", Offset: 0, Size: 16},
				{Name: "head", Type: "union t_list.<anonymous 2> *", Offset: 16, Size: 8},
				{Name: "page", Type: "enum <anonymous 1>", Offset: 24, Size: 4},
				{Name: "up", Type: "struct t_list *", Offset: 32, Size: 8},
			}},
			{Tag: "struct t_list.<anonymous 1>", Size: 8, Align: 4, Fields: []api.Field{
				{Name: "key", Type: "uint32_t", Offset: 0, Size: 4}, {Name: "value", Type: "enum t_rate", Offset: 4, Size: 4},
			}},
			{Tag: "union t_list.<anonymous 2>", Size: 16, Align: 8, Fields: []api.Field{
				{Name: "at", Type: "struct t_wire *", Offset: 0, Size: 8}, {Name: "gid", Type: "union t_gid", Offset: 0, Size: 16},
			}},
			{Tag: "struct t_wire", Size: 9, Align: 1, Fields: []api.Field{
				{Name: "op", Type: "uint8_t", Offset: 0, Size: 1},
				{Name: "addr", Type: "__be64", Offset: 1, Size: 8},
			}},
			{Tag: "struct t_line", Size: 64, Align: 64, Fields: []api.Field{{Name: "n", Type: "__s32", Offset: 0, Size: 4}}},
			{Tag: "struct t_device", Incomplete: true, Fields: []api.Field{}},
		},
		Enums: []api.Enum{
			{Tag: "enum t_rate", Enumerators: []api.Enumerator{{Name: "T_RATE_MAX", Value: 0}, {Name: "T_RATE_2", Value: 2},
				{Name: "T_RATE_3", Value: 3}}},
			{Tag: "enum t_mode", Signed: true, Enumerators: []api.Enumerator{{Name: "T_MODE_NONE", Value: -1}, {Name: "T_MODE_A", Value: 1}}},
			{Tag: "enum t_flags", Enumerators: []api.Enumerator{{Name: "T_F_A", Value: 1}, {Name: "T_F_B", Value: 4},
				{Name: "T_F_TOP", Value: 1 << 31}}},
			{Tag: "enum t_wide", Enumerators: []api.Enumerator{{Name: "T_WIDE", Value: 1 << 40}}},
			{Tag: "enum <anonymous 1>", Enumerators: []api.Enumerator{{Name: "T_PAGE", Value: 4096}}},
		},
		Macros: []api.Macro{
			{Name: "T_CAP", Value: int64(1) << 34},
			{Name: "T_LEN", Value: int64(6)},
			{Name: "T_ALL", Value: uint64(math.MaxUint64)},
			{Name: "T_LOW", Value: int64(-2)},
			{Name: "T_DEFAULT", Value: "((void *)-1)"},
		},
		Aliases: []api.Alias{
			{Name: "t_speed", Of: "t_rate", Kind: "enum"},
			{Name: "T_SPEED_2", Of: "T_RATE_2", Kind: "enumerator"},
			{Name: "t_id", Of: "t_gid", Kind: "union"},
		},
	}
}

func ptr(n int) *int { return &n }

// golden compares got with a file.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what is emitted now; go test -update, and look at the difference", file)
	}
}

// compilers are gcc, which must be there, and those of other systems where they are.
func compilers(t *testing.T) []string {
	t.Helper()
	list := []string{"gcc"}
	for _, cc := range []string{"musl-gcc", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(cc); err == nil {
			list = append(list, cc)
		}
	}
	return list
}

// compile lets cc look at the C text, in a folder that holds header as t.h; the answer is what cc says against it.
func compile(t *testing.T, cc, std string, header, text []byte) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"t.h": header, "t.c": text} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(cc, "-std="+std, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "t.c")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err == nil
}
