package cgen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
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

// What is emitted for each known release, and for one of each construct, is read as the facts that it was made from. What is equal but for
// the name of the release is read once. The package conformance/abi/layout shows the newest to C compilers.
func TestEveryReleaseIsReadAgain(t *testing.T) {
	read := map[string]bool{}
	for _, release := range append(api.Releases(), "9.9") {
		rel := small(t)
		if release != rel.Release {
			rel = load(t, release)
		}
		h, err := ABI(rel)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := bytes.Cut(h, []byte("facts "))
		if text = text[16:]; read[string(text)] {
			continue
		}
		read[string(text)] = true
		again := readAgain(t, h)
		for name, want := range declared(rel) {
			if again[name] != want {
				t.Errorf("%s: %s is read as\n%s\nand the facts have\n%s", release, name, again[name], want)
			}
		}
	}
	if len(read) < 15 {
		t.Errorf("only %d releases differ", len(read))
	}
}

// readAgain is what a header declares, with the kernel's integers in the place of its own.
func readAgain(t *testing.T, h []byte) map[string]string {
	t.Helper()
	h = regexp.MustCompile(`(?m)^__extension__ typedef .*;$|^#define __aligned_\w+ .*$`).ReplaceAll(h, nil)
	file := filepath.Join(t.TempDir(), "t.h")
	if err := os.WriteFile(file, append([]byte("#include <linux/types.h>\n#include <sys/socket.h>\n"), h...), 0o644); err != nil {
		t.Fatal(err)
	}
	rel, err := cheader.Parse(cheader.Options{Header: file})
	if err != nil {
		t.Fatal(err)
	}
	out := declared(rel)
	for _, d := range rel.Typedefs {
		out[d.Name] = d.Type
	}
	return out
}

// declared is what facts declare, by name and as text without places. Of functions it is the type of a pointer to one.
func declared(rel *api.Release) map[string]string {
	out := map[string]string{}
	note := func(name string, x any) {
		data, _ := json.Marshal(x) // facts hold nothing that JSON cannot
		out[name] = string(data)
	}
	for _, r := range rel.Records {
		r.Pos, r.Fields = api.Pos{}, edited(r.Fields, func(f *api.Field) {
			f.Pos = api.Pos{}
			if strings.HasPrefix(f.Type, "enum <") {
				f.Type = "uint32_t" // an enum without a tag
			}
		})
		note(r.Tag, r)
	}
	for _, e := range rel.Enums {
		e.Pos, e.Enumerators = api.Pos{}, edited(e.Enumerators, func(m *api.Enumerator) { m.Line = 0 })
		note(e.Tag, e)
	}
	for _, m := range rel.Macros {
		note(m.Name, m.Value)
	}
	for _, a := range rel.Aliases {
		if a.Kind != "function" {
			note(a.Name, a.Kind+" "+a.Of)
		}
	}
	for _, f := range rel.Functions {
		var params []string
		for _, p := range f.Params {
			params = append(params, p.Type)
		}
		if f.Kind != api.Inline {
			out[fnType(f.Name)] = strings.Replace(f.Ret+" (*)("+cmp.Or(strings.Join(params, ", "), "void")+")", "* (", "*(", 1)
		}
	}
	return out
}

// Each function alone gives a header that compiles, whatever it leaves out.
func TestEveryFunctionAlone(t *testing.T) {
	rel := load(t, api.Newest())
	for i, f := range rel.Functions {
		h, err := Header(rel, Options{Only: map[string]bool{f.Name: true}, Guard: "T_H"})
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
	const root = "../../../../"
	golden(t, root+"runtime/gensupport/verbs_abi.h", h)
	golden(t, root+"runtime/gensupport/abi.gen.go", ABIStamp(rel, h))
	direct, err := Header(rel, Options{Only: map[string]bool{}, Need: directNeeds, Guard: "VERBSGEN_DIRECT_ABI_H", Of: "verbs",
		Library: "libibverbs", From: provenance(rel)})
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
