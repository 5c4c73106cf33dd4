package cgen

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/spec/api"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// small is a made-up release with one of each construct that a verbs header has, and some that it might get.
func small(t *testing.T) *api.Release {
	t.Helper()
	rel, err := cheader.Parse(cheader.Options{Header: "testdata/small.h"})
	if err != nil {
		t.Fatal(err)
	}
	rel.Release = "9.9"
	rel.Functions = []api.Function{
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
	}
	return rel
}

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
