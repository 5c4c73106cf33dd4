package cgen

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/spec/api"
)

func load(t *testing.T, release string) *api.Release {
	t.Helper()
	rel, err := api.Load(release)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// What is emitted for each known release has the layout of that release's facts. What is equal but for the name of the release is compiled
// once.
func TestEveryReleaseCompiles(t *testing.T) {
	if len(api.Releases()) == 0 {
		t.Fatal("no facts of any release")
	}
	compiled := map[string]bool{}
	for _, release := range api.Releases() {
		rel := load(t, release)
		h, err := ABI(rel)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Asserts(rel, AssertOptions{Include: `"t.h"`})
		if err != nil {
			t.Fatal(err)
		}
		all := strings.ReplaceAll(string(h)+string(text), release, "")
		if compiled[all] {
			continue
		}
		compiled[all] = true
		for _, cc := range compilers(t) {
			if out, ok := compile(t, cc, "c11", h, text); !ok {
				t.Errorf("%s by %s:\n%.2000s", release, cc, out)
			}
		}
	}
	if len(compiled) < 15 {
		t.Errorf("only %d releases differ", len(compiled))
	}
}

// Each function alone gives a header that compiles, whatever it leaves out.
func TestEveryFunctionAlone(t *testing.T) {
	rel := load(t, api.Newest())
	for i, f := range rel.Functions {
		h, err := Header(rel, Options{Only: map[string]bool{f.Name: true}})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if i%25 == 0 { // a compiler run for each would take long
			if out, ok := compile(t, "gcc", "c11", h, []byte("#include \"t.h\"\ntypedef int none;\n")); !ok {
				t.Errorf("%s:\n%.2000s", f.Name, out)
			}
		}
	}
}

// The infiniband/verbs.h of this machine is what the facts of its release say, numbers, types and names.
func TestInstalledHeader(t *testing.T) {
	const header = "/usr/include/infiniband/verbs.h"
	if _, err := os.Stat(header); err != nil {
		t.Skipf("no RDMA header is installed: %v", err)
	}
	fresh, err := cheader.Parse(cheader.Options{Header: header, Include: []string{"/usr/include"}, As: "infiniband/verbs.h"})
	if err != nil {
		t.Fatal(err)
	}
	rel := fresh
	for _, release := range api.Releases() {
		if known := load(t, release); reflect.DeepEqual(names(known), names(fresh)) {
			rel = known
		}
	}
	if rel == fresh {
		t.Log("the installed header has the names of no known release; its own facts are checked")
	}
	text, err := Asserts(rel, AssertOptions{Subject: Installed})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := syntax(t, text); err != nil {
		t.Errorf("%v\n%.2000s", err, out)
	}
	for i := range rel.Enums {
		if rel.Enums[i].Tag == "enum ibv_mtu" {
			rel.Enums[i].Enumerators[0].Value++
		}
	}
	if text, err = Asserts(rel, AssertOptions{Subject: Installed}); err != nil {
		t.Fatal(err)
	}
	if out, err := syntax(t, text); err == nil {
		t.Errorf("an MTU of another value is accepted: %s", out)
	}
}

// names are all names that a release declares.
func names(rel *api.Release) map[string]bool {
	set := map[string]bool{}
	for _, f := range rel.Functions {
		set[f.Name] = true
	}
	for _, r := range rel.Records {
		set[r.Tag] = true
		for _, f := range r.Fields {
			set[r.Tag+"."+f.Name] = true
		}
	}
	for _, e := range rel.Enums {
		for _, v := range e.Enumerators {
			set[v.Name] = true
		}
	}
	for _, m := range rel.Macros {
		set[m.Name] = true
	}
	return set
}

// syntax lets gcc look at a C text that includes an installed header.
func syntax(t *testing.T, text []byte) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "installed.c")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gcc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", file).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err
}

// The files made from the newest facts and checked in are fresh; -update writes them.
func TestCheckedIn(t *testing.T) {
	rel := load(t, api.Newest())
	h, err := ABI(rel)
	if err != nil {
		t.Fatal(err)
	}
	asserts, err := Asserts(rel, AssertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const root = "../../../../../"
	golden(t, root+"runtime/gensupport/abi/verbs_abi.h", h)
	golden(t, root+"runtime/gensupport/abi/abi.gen.go", ABIStamp(rel, h))
	golden(t, root+"conformance/abi/layout/layout.gen.h", asserts)

	direct, err := Header(rel, Options{Only: map[string]bool{}, Need: directNeeds, Guard: "VERBSGEN_DIRECT_ABI_H"})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, root+"conformance/internal/direct/abi.gen.h", direct)
}

// What conformance/internal/direct looks into; it calls functions by their address. It is of another module: in a module cache its C files
// do not find the header of runtime/gensupport/abi.
var directNeeds = []string{"struct verbs_context", "struct ibv_mr", "struct ibv_sge", "struct ibv_gid_entry", "struct ibv_port_attr",
	"struct ibv_device_attr_ex", "struct ibv_mr_init_attr", "struct ibv_qp_init_attr", "struct ibv_alloc_dm_attr", "enum ibv_qp_type",
	"enum ibv_access_flags"}
