package layout

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/abi/facts"
	"github.com/verbsgen/verbsgen/spec/api"
)

const header = "../../../runtime/gensupport/verbs_abi.h"

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// check lets cc look at a C text that may include verbs_abi.h, and answers what it says against it.
func check(t *testing.T, cc, std, text string) (string, bool) {
	t.Helper()
	abi, err := filepath.Abs(filepath.Dir(header))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc, "-std="+std, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", abi, "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err == nil
}

var functionType = regexp.MustCompile(`(?m)^typedef (.*)\(\*vg_fn_(\w+)\)(\(.*\);)$`)

// The checked-in header declares what the facts have, as the C compiler that builds the module sees it, and those of other systems where
// they are installed. It has types of functions; here they are functions.
func TestLayout(t *testing.T) {
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	rel.Functions = slices.DeleteFunc(rel.Functions, func(f api.Function) bool { return f.Kind == api.Inline })
	text := functionType.ReplaceAllString(read(t, header), "$1$2$3")
	include := t.TempDir()
	if err := os.WriteFile(filepath.Join(include, "abi.h"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "musl-gcc", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			if _, err := exec.LookPath(cc); err != nil && cc != "gcc" {
				t.Skipf("%s is not installed", cc)
			}
			for _, std := range []string{"c11", "gnu11"} {
				if out, ok := check(t, cc, std, "#include \"verbs_abi.h\"\n"); !ok {
					t.Errorf("-std=%s:\n%s", std, out)
				}
			}
			view, err := facts.Look(facts.Header{CC: cc, Include: include, Name: "abi.h"}, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range facts.Compare(rel, view, false) {
				if !strings.HasPrefix(d, "__aligned_u64:") { // of the kernel
					t.Errorf("%s; is the header stale, or the emitter at fault? run make generate", d)
				}
			}
		})
	}
}

// The header declares types and constants alone: a program that includes it needs no libibverbs, and finds nothing to
// call by mistake.
func TestHeaderDeclaresNoFunction(t *testing.T) {
	out, ok := check(t, "gcc", "gnu11", "#include \"verbs_abi.h\"\nvoid *f = (void *)ibv_alloc_pd;\n")
	if ok || !strings.Contains(out, "ibv_alloc_pd") {
		t.Errorf("ibv_alloc_pd is declared: %s", out)
	}
	text := read(t, header)
	for _, m := range regexp.MustCompile(`(?m)^#define \w+\(`).FindAllString(text, -1) {
		t.Errorf("a function-like macro: %s", m)
	}
	for _, m := range regexp.MustCompile(`(?m)^#include .*$`).FindAllString(text, -1) {
		if strings.Contains(m, "infiniband") || strings.Contains(m, "rdma") || strings.Contains(m, "linux/") {
			t.Errorf("a header beyond libc's: %s", m)
		}
	}
	if strings.Contains(text, "/*") {
		t.Error("a block comment")
	}
}
