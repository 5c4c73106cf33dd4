package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
)

func TestDirectivesIn(t *testing.T) {
	for line, want := range map[string][]string{
		"//go:generate go run ../../cmd/verbsgen generate":                                          {},
		"//go:generate go run github.com/verbsgen/verbsgen/cmd/verbsgen@v1.2.0 generate --pkg rdma": {"--pkg", "rdma"},
		"//go:generate verbsgen generate --only ibv_*_dm,ibv_reg_mr -o .":                           {"--only", "ibv_*_dm,ibv_reg_mr", "-o", "."},
		"//go:generate go tool verbsgen generate --pkg $GOPACKAGE":                                  {"--pkg", "rdma"},
		"//go:generate go tool github.com/verbsgen/verbsgen/cmd/verbsgen generate --pkg rdma":       {"--pkg", "rdma"},
		"//go:generate go tool -modfile=tools.mod verbsgen generate":                                {},
		"//go:generate go tool verbsgen check":                                                      nil,
		`//go:generate verbsgen generate --header "a b/verbs.h" -I "x\ty" ` + "\r":                  {"--header", "a b/verbs.h", "-I", "x\ty"},
		"//go:generate\tverbsgen\tgenerate\t-o $DOLLAR$GOFILE":                                      {"-o", "$f.go"},
		"//go:generate verbsgen check":                                                              nil,
		"//go:generate generate":                                                                    nil,
		"//go:generate othergen generate":                                                           nil,
		"//go:generated verbsgen generate":                                                          nil,
		" //go:generate verbsgen generate":                                                          nil,
		`//go:generate othergen generate "open`:                                                     nil,
	} {
		found := input.DirectivesIn("d/f.go", []byte("// Package rdma.\npackage rdma\n\n"+line+"\n"))
		switch {
		case want == nil && len(found) > 0:
			t.Errorf("%s: taken for ours: %+v", line, found)
		case want != nil && len(found) != 1:
			t.Errorf("%s: not found", line)
		case want != nil && (!slices.Equal(found[0].Args, want) || found[0].Line != 4 || found[0].Dir != "d"):
			t.Errorf("%s: got %+v, want args %q on line 4", line, found[0], want)
		}
	}
}

func TestFindDirectives(t *testing.T) {
	dir := t.TempDir()
	line := []byte("package p\n\n//go:generate verbsgen generate\n")
	for _, name := range []string{"a.go", "sub/b.go", "vendor/c.go", "testdata/d.go", ".hid/e.go", "_x/f.go", "mod/g.go",
		"sub/h.txt", "sub/.i.go"} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, line, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "mod/go.mod"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("module x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, err := findDirectives(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found {
		rel, err := filepath.Rel(dir, d.File)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if want := []string{"a.go", "sub/b.go"}; !slices.Equal(got, want) {
		t.Errorf("found in %q, want %q", got, want)
	}
}

func TestDirectiveTarget(t *testing.T) {
	got, err := directive{File: "gen/x/f.go", Line: 3, Dir: "gen/x",
		Args: []string{"--header", "v.h", "-I", "inc", "-I", "/abs", "--spec", "../spec", "--only", "ibv_a*,ibv_b", "--pkg", "rdma",
			"--allow-undecided"}}.target()
	if err != nil {
		t.Fatal(err)
	}
	if got.Header != "gen/x/v.h" || !slices.Equal(got.Include, []string{"gen/x/inc", "/abs"}) ||
		!slices.Equal(got.Specs, []string{"gen/spec"}) ||
		got.out != "gen/x" || got.pkg.name != "rdma" || !got.allow || !slices.Equal(got.only, []string{"ibv_a*", "ibv_b"}) {
		t.Errorf("got %+v", got)
	}
	for _, args := range [][]string{{"--no-such-flag"}, {"word"}, {"--pkg", "9"}, {"--release", "1", "--header", "h"}, {"-I", "x"}} {
		_, err := directive{File: "f.go", Line: 3, Dir: ".", Args: args}.target()
		if err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
