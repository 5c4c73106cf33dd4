package cgen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/api"
)

// A constant is there whatever name it was asked by.
func TestHeaderNeedsConstants(t *testing.T) {
	for name, want := range map[string]string{
		"T_RATE_3":  "\tT_RATE_3 = 3,\n",
		"T_SPEED_2": "#define T_SPEED_2 T_RATE_2\n",
		"T_DEFAULT": "#define T_DEFAULT ((void *)-1)\n",
		"T_SMALL":   "#define T_LEN 6\n\n// Second names.\n#define T_SMALL T_LEN\n",
	} {
		rel := small(t)
		rel.Aliases = append(rel.Aliases, api.Alias{Name: "T_SMALL", Of: "T_LEN", Kind: "macro"})
		h, err := Header(rel, Options{Only: map[string]bool{}, Need: []string{name}, Guard: "T_H"})
		if err != nil || !strings.Contains(string(h), want) {
			t.Errorf("%s: error %v\n%s", name, err, h)
		}
	}
	h, err := Header(small(t), Options{Only: map[string]bool{}, Need: []string{"union t_id", "union t_gid"}, Guard: "T_H"})
	if err != nil || strings.Count(string(h), "union t_gid {") != 1 {
		t.Errorf("a record by two names: error %v\n%s", err, h)
	}
}

func TestHeaderCompiles(t *testing.T) {
	whole, err := ABI(small(t))
	if err != nil {
		t.Fatal(err)
	}
	only, err := Header(small(t), Options{Only: map[string]bool{"t_stamp": true}, Need: []string{"struct t_list"}, Guard: "T_H"})
	if err != nil {
		t.Fatal(err)
	}
	const layout = "#include \"t.h\"\n_Static_assert(sizeof(struct t_wire) == 9 && _Alignof(struct t_line) == 64, \"attributes\");\n"
	const use = "#include \"t.h\"\nenum t_rate r = T_RATE_2;\nextern union t_gid *gid;\nextern union t_id *gid;\n"
	for _, cc := range compilers(t) {
		for _, std := range []string{"c11", "gnu11", "gnu17"} {
			if out, ok := compile(t, cc, std, whole, []byte(layout)); !ok {
				t.Errorf("%s -std=%s, whole: %s", cc, std, out)
			}
			if out, ok := compile(t, cc, std, only, []byte(use)); !ok {
				t.Errorf("%s -std=%s, only: %s", cc, std, out)
			}
		}
	}
}

// The kernel's own header may come before or after ours.
func TestHeaderBesideKernelTypes(t *testing.T) {
	h, err := ABI(small(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"#include <linux/types.h>\n#include \"t.h\"\n__aligned_u64 x;\n",
		"#include \"t.h\"\n#include <linux/types.h>\n__aligned_u64 x;\n",
	} {
		probe := "#if __has_include(<linux/types.h>)\n" + text + "#else\ntypedef int none;\n#endif\n"
		if out, ok := compile(t, "gcc", "gnu11", h, []byte(probe)); !ok {
			t.Errorf("%s: %s", text, out)
		}
	}
}

func TestHeaderIsAFunctionOfTheFacts(t *testing.T) {
	a, err := ABI(small(t))
	if err != nil {
		t.Fatal(err)
	}
	moved := small(t)
	moved.Records[0].Pos = api.Pos{File: "/some/where/verbs.h", Line: 7}
	moved.Records[0].Fields[0].Pos = api.Pos{File: "/some/where/verbs.h", Line: 8}
	moved.Enums[0].Enumerators[0].Line = 9
	b, err := ABI(moved)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("positions change the header")
	}
	byPath := small(t)
	byPath.Release = ""
	c, err := ABI(byPath)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(string(a), "// From rdma-core 9.9, ", "// From a header given by path, ", 1)
	if string(c) != want {
		t.Errorf("a header given by path:\n%.300s", c)
	}
	changed := small(t)
	changed.Enums[0].Enumerators[1].Value = 5
	if FactsHash(changed) == FactsHash(small(t)) {
		t.Error("another value of an enumerator gives the same hash")
	}
}

func TestHeaderRefuses(t *testing.T) {
	pos := api.Pos{File: "verbs.h", Line: 3, Col: 2}
	for name, tc := range map[string]struct {
		needs string
		bend  func(*api.Release)
		want  string
	}{
		"unknown name": {"T_LOST", nil, "T_LOST: needed, but the facts have no such struct, union, enum, enumerator or macro"},
		"unknown tag":  {"struct t_lost", nil, "struct t_lost: needed by value, but the facts do not have it"},
		"unknown type": {"", func(r *api.Release) {
			r.Records[0].Fields[3] = api.Field{Name: "handle", Type: "t_lost_t", Offset: 24, Size: 4, Pos: pos}
		}, `verbs.h:3:2: type "t_lost_t": neither the facts nor libc have it`},
		"unknown enum": {"", func(r *api.Release) { r.Functions[0].Ret, r.Functions[0].Pos = "enum t_lost", pos },
			`verbs.h:3:2: type "enum t_lost": neither the facts nor libc have it`},
		"no object": {"", func(r *api.Release) { r.Functions[5].Dispatch.Object, r.Functions[5].Pos = "dm->lost", pos },
			`verbs.h:3:2: t_read: dispatch through "dm->lost": no such object in the facts`},
		"member without its record": {"", func(r *api.Release) { r.Records[1].Fields = r.Records[1].Fields[2:] },
			`union t_gid: field "global.subnet_prefix" of type __be64 does not follow the member that holds it`},
		"record without members": {"", func(r *api.Release) { r.Records[1].Fields = r.Records[1].Fields[:2] },
			`union t_gid: member "global" of type struct t_gid.<anonymous 1> has no members`},
		"field outside": {"", func(r *api.Release) { r.Records[0].Fields[3].Offset = 32 },
			"struct t_dm: field handle at offset 32 lies outside the members around it"},
	} {
		rel := small(t)
		if tc.bend != nil {
			tc.bend(rel)
		}
		opt := whole(rel)
		if tc.needs != "" {
			opt.Need = append(opt.Need, tc.needs)
		}
		if _, err := Header(rel, opt); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %s", name, err, tc.want)
		}
	}
	if _, err := Header(small(t), Options{Only: map[string]bool{"t_shut": true}, Guard: "T_H"}); err == nil ||
		!strings.Contains(err.Error(), "t_shut: wanted, but the facts have no such function") {
		t.Errorf("unknown function: %v", err)
	}
}

// ABI is the header of the whole release: the text of runtime/gensupport/verbs_abi.h.
func ABI(rel *api.Release) ([]byte, error) { return Header(rel, whole(rel)) }

// whole asks for all that a release declares.
func whole(rel *api.Release) Options {
	opt := Options{Only: map[string]bool{}, Guard: "VERBSGEN_VERBS_ABI_H", Of: "verbs", Library: "libibverbs", From: provenance(rel)}
	for _, f := range rel.Functions {
		opt.Only[f.Name] = true
	}
	for _, e := range rel.Enums {
		opt.Need = append(opt.Need, e.Tag)
	}
	for _, r := range rel.Records {
		if !isAnonymous(r.Tag) {
			opt.Need = append(opt.Need, r.Tag)
		}
	}
	for _, m := range rel.Macros {
		opt.Need = append(opt.Need, m.Name)
	}
	return opt
}

func provenance(rel *api.Release) string {
	return (&model.Package{Release: rel.Release, FactsHash: FactsHash(rel)}).Provenance()
}

// ABIStamp is the Go file that stands beside that header. Go's build cache does not see a header of another folder, but
// it does see a constant of an imported package: with the header's hash in one, each importer is built anew when the
// header changes.
func ABIStamp(rel *api.Release, header []byte) []byte {
	return fmt.Appendf(nil, `%s
%s

package gensupport

// ABI is a hash of verbs_abi.h. A package whose C code includes the header imports this one, and so is built anew when
// the header changes.
const ABI = %q
`, output.Banner, provenance(rel), sum(header))
}
