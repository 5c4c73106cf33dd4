//go:build linux && cgo

package conformance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// edit changes a text that stands exactly once in a generated file, or in a file of the runtime by its path from gen/verbs.
type edit struct{ file, old, new string }

// mutant is the bindings with a mistake such as a generator makes, and the cases of the suite that must see it. Mutants of one build cannot
// be seen by each other's cases.
type mutant struct {
	build int
	name  string
	edits []edit
	cases []string
}

// mutants change the text of gen/verbs.
func mutants() []mutant {
	return []mutant{
		{1, "two fields of a mirror in each other's place", []edit{
			{"records.gen.go", "\tmax_mr                    int32\n\tmax_pd                    int32\n",
				"\tmax_pd                    int32\n\tmax_mr                    int32\n"},
		}, []string{"CF-mir-0001", "CF-mir-0003"}},
		{1, "a field of an argument at a wrong offset", []edit{
			{"records.gen.go", "\tlog_align_req uint32\n\tcomp_mask     uint32\n",
				"\tcomp_mask     uint32\n\tlog_align_req uint32\n"},
		}, []string{"CF-dm-0003"}},
		{1, "a verb that gives NULL and errno taken for one that gives its errno", []edit{
			{"raw.gen.go",
				"p, err := C.HASH_ibv_alloc_pd(C.uintptr_t(fn0), C.uintptr_t(uintptr(dev)))\n\treturn cmem.OrErrno(p, err)",
				"p, _ := C.HASH_ibv_alloc_pd(C.uintptr_t(fn0), C.uintptr_t(uintptr(dev)))\n\treturn cmem.OrErrno(p, nil)"},
		}, []string{"CF-err-0006", "CF-err-0101"}},
		{1, "a verb that gives its errno taken for one that gives -1", []edit{
			{"raw.gen.go", "return syscall.Errno(C.HASH_ibv_dealloc_pd(C.uintptr_t(fn0), C.uintptr_t(uintptr(pd))))",
				"n, err := C.HASH_ibv_dealloc_pd(C.uintptr_t(fn0), C.uintptr_t(uintptr(pd)))\n\t_, errno := " +
					"cmem.IntOrErrno(int(n), err)\n\treturn errno"},
		}, []string{"CF-err-0007"}},
		{1, "a builder that forgets a bit of comp_mask", []edit{
			{"records.gen.go", "cmem.SetBit(a, &a.c.iova, v, &a.c.comp_mask, 0x1)", "cmem.Set(a, &a.c.iova, v)"},
		}, []string{"CF-mr-0010", "CF-mr-0018"}},
		{1, "two numbers of a datagram's way in each other's place", []edit{
			{"address.gen.go", "\tah.gate.To(w, qpn, qkey)\n", "\tah.gate.To(w, qkey, qpn)\n"},
		}, []string{"CF-que-0026"}},
		{2, "a field of a queue pair's attributes filled from another", []edit{
			{"records.gen.go", "&a.c.rq_psn, v,", "&a.c.dest_qp_num, v,"},
		}, []string{"CF-que-0020", "CF-mr-0001"}},
		{3, "a region unpinned when its registration returns", []edit{
			{"../../runtime/gensupport/object/handle.go", "\terr := h.Init(h.owner, h.kind, h.label, parents...)\n",
				"\tif h.Kept != nil {\n\t\th.Kept()\n\t}\n\terr := h.Init(h.owner, h.kind, h.label, parents...)\n"},
		}, []string{"CF-acc-0004", "CF-acc-0005"}},
	}
}

// TestMutants builds this package's tests with each mutant in the place of the bindings, and sees the cases named fail.
func TestMutants(t *testing.T) {
	if os.Getenv("VERBSGEN_SWEEP") == "" {
		t.Skip("builds the suite several times: set VERBSGEN_SWEEP, as make sweep does")
	}
	dir := must(filepath.Abs(filepath.Join("..", "gen", "verbs")))(t)
	mutants := mutants()
	var all []string
	for _, m := range mutants {
		all = append(all, m.cases...)
	}
	binary := must(os.Executable())(t)
	sound := verdicts(t, binary, all)
	edits, built := map[int][]edit{}, map[int]string{}
	for _, m := range mutants {
		edits[m.build] = append(edits[m.build], m.edits...)
	}
	for n, e := range edits {
		built[n] = build(t, mutate(t, dir, e), ".")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			got := verdicts(t, built[m.build], m.cases)
			for _, id := range m.cases {
				if sound[id].Status != report.Pass {
					t.Errorf("%s of the bindings as they are: %s %s", id, sound[id].Status, sound[id].Reason)
				}
				if got[id].Status != report.Fail {
					t.Errorf("%s does not see it: %s", id, got[id].Status)
				}
				t.Logf("%s: %s", id, got[id].Reason)
			}
		})
	}
}

// mutate writes the changed files beside the source and gives the overlay that puts them in its place.
func mutate(t *testing.T, dir string, edits []edit) map[string]string {
	t.Helper()
	hash := hashOf(t, dir)
	texts := map[string]string{}
	for _, e := range edits {
		at := filepath.Join(dir, e.file)
		if _, read := texts[at]; !read {
			data := must(os.ReadFile(at))(t)
			texts[at] = string(data)
		}
		old := strings.ReplaceAll(e.old, "HASH", hash)
		if n := strings.Count(texts[at], old); n != 1 {
			t.Fatalf("%s has this %d times, not once; the mutant is to follow the generator:\n%s", e.file, n, old)
		}
		texts[at] = strings.Replace(texts[at], old, strings.ReplaceAll(e.new, "HASH", hash), 1)
	}
	replace := map[string]string{}
	for at, text := range texts {
		replace[at] = filepath.Join(t.TempDir(), filepath.Base(at))
		if err := os.WriteFile(replace[at], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return replace
}

// hashOf returns the prefix of the names of C functions.
func hashOf(t *testing.T, dir string) string {
	t.Helper()
	data := must(os.ReadFile(filepath.Join(dir, "shims.gen.h")))(t)
	before, _, found := strings.Cut(string(data), "_ibv_alloc_pd(")
	if !found {
		t.Fatal("shims.gen.h does not declare ibv_alloc_pd")
	}
	return before[strings.LastIndexAny(before, " *")+1:]
}

// build builds the tests of a package offline, with files replaced.
func build(t *testing.T, replace map[string]string, of string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	overlay, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "conformance.test")
	data := must(json.Marshal(map[string]any{"Replace": replace}))(t)
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", binary, of)
	build.Env = append(os.Environ(), "GOPROXY=off")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return binary
}

// verdicts runs some cases of the suite on a software device and gives their results.
func verdicts(t *testing.T, binary string, ids []string) map[string]report.Case {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.json")
	run := exec.Command(binary, "-test.run=^TestSuite$/^("+strings.Join(ids, "|")+")$", "-report", out)
	said, err := run.CombinedOutput() // a mutant fails: the report tells
	data, read := os.ReadFile(out)
	if read != nil {
		t.Fatalf("%v, %v\n%s", err, read, said)
	}
	r := must(report.Decode(data))(t)
	cases := map[string]report.Case{}
	for _, c := range r.Cases {
		cases[c.ID] = c
	}
	return cases
}
