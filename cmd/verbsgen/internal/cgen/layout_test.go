package cgen

import (
	"strings"
	"testing"

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
		text, err := Asserts(rel, `"t.h"`)
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

// The files made from the newest facts and checked in are fresh; -update writes them.
func TestCheckedIn(t *testing.T) {
	rel := load(t, api.Newest())
	h, err := ABI(rel)
	if err != nil {
		t.Fatal(err)
	}
	asserts, err := Asserts(rel, `"verbs_abi.h"`)
	if err != nil {
		t.Fatal(err)
	}
	const root = "../../../../"
	golden(t, root+"runtime/gensupport/verbs_abi.h", h)
	golden(t, root+"runtime/gensupport/abi.gen.go", ABIStamp(rel, h))
	golden(t, root+"conformance/abi/layout/layout.gen.h", asserts)

	direct, err := Header(rel, Options{Only: map[string]bool{}, Need: directNeeds, Guard: "VERBSGEN_DIRECT_ABI_H"})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, root+"conformance/internal/direct/abi.gen.h", direct)
}

// What conformance/internal/direct looks into; it calls functions by their address. It is of another module: in a module cache its C files
// do not find the header of runtime/gensupport.
var directNeeds = []string{"struct verbs_context", "struct ibv_mr", "struct ibv_sge", "struct ibv_gid_entry", "struct ibv_port_attr",
	"struct ibv_device_attr_ex", "struct ibv_mr_init_attr", "struct ibv_qp_init_attr", "struct ibv_alloc_dm_attr", "enum ibv_qp_type",
	"enum ibv_access_flags"}
