package layout

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	header  = "../../../runtime/gensupport/verbs_abi.h"
	asserts = "layout.gen.h"
)

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

// The checked-in header has the layout of the facts, by the C compiler that builds the module and by those of other
// systems where they are installed.
func TestLayout(t *testing.T) {
	text := read(t, asserts)
	for _, cc := range []string{"gcc", "musl-gcc", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			if _, err := exec.LookPath(cc); err != nil && cc != "gcc" {
				t.Skipf("%s is not installed", cc)
			}
			for _, std := range []string{"c11", "gnu11"} {
				if out, ok := check(t, cc, std, text); !ok {
					t.Errorf("-std=%s:\n%s", std, out)
				}
			}
		})
	}
}

// A number that is not that of the facts does not compile, and the message says where, why and what to do.
func TestLayoutRefusesOtherNumbers(t *testing.T) {
	text := read(t, asserts)
	release := regexp.MustCompile(`(?m)^// From (rdma-core \S+), facts [0-9a-f]+\.$`).FindStringSubmatch(text)
	if release == nil {
		t.Fatalf("%s: no release in the first lines:\n%.200s", asserts, text)
	}
	why := ": the emitted header and the facts of " + release[1] + " differ: a stale header, or a fault of the emitter; run make generate"
	for _, tc := range []struct{ old, changed, want string }{
		{"RECORD(union ibv_gid, 16, 8);", "RECORD(union ibv_gid, 24, 8);", "union ibv_gid: size is not 24"},
		{"RECORD(union ibv_gid, 16, 8);", "RECORD(union ibv_gid, 16, 4);", "union ibv_gid: alignment is not 4"},
		{"FIELD(union ibv_gid, global.interface_id, 8, 8, ", "FIELD(union ibv_gid, global.interface_id, 4, 8, ",
			"union ibv_gid.global.interface_id: offset is not 4"},
		{"FIELD(struct ibv_mr, lkey, 36, 4, ", "FIELD(struct ibv_mr, lkey, 36, 8, ", "struct ibv_mr.lkey: size is not 8"},
		{"FIELD(struct ibv_alloc_dm_attr, length, 0, 8, size_t);", "FIELD(struct ibv_alloc_dm_attr, length, 0, 8, void *);",
			"struct ibv_alloc_dm_attr.length: type is not void *"},
		{"VALUE(IBV_MTU_4096, 5);", "VALUE(IBV_MTU_4096, 6);", "IBV_MTU_4096: value is not 6"},
		{"VALUE(IBV_NODE_UNKNOWN, -1);", "VALUE(IBV_NODE_UNKNOWN, 0);", "IBV_NODE_UNKNOWN: value is not 0"},
		{"VALUE(IBV_DEVICE_RAW_SCATTER_FCS, 0x400000000ULL);", "VALUE(IBV_DEVICE_RAW_SCATTER_FCS, 4ULL);",
			"IBV_DEVICE_RAW_SCATTER_FCS: value is not 4ULL"},
		{"FUNCTION(ibv_dealloc_pd, int (", "FUNCTION(ibv_dealloc_pd, void (", "ibv_dealloc_pd: type is not void ("},
	} {
		if strings.Count(text, tc.old) != 1 {
			t.Errorf("%s: %d times in %s", tc.old, strings.Count(text, tc.old), asserts)
			continue
		}
		out, ok := check(t, "gcc", "c11", strings.Replace(text, tc.old, tc.changed, 1))
		if ok || !strings.Contains(out, tc.want) || !strings.Contains(out, why) {
			t.Errorf("%s: accepted %v, gcc says\n%s\nwant %s", tc.changed, ok, out, tc.want+why)
		}
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
