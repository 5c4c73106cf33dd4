//go:build linux && cgo && amd64 && !race && !asan

package conformance

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// crossings are the ends of the names of functions that use an object without a lock, and how many locked instructions each has: the
// fence that enter makes where the kernel has no membarrier(2). It must lie beyond the first return, where gcc puts what is unlikely.
var crossings = map[string]int{
	"_Cfunc_verbsgen_dpath_post_send":     1,
	"_Cfunc_verbsgen_dpath_post_recv":     1,
	"_Cfunc_verbsgen_dpath_poll":          1,
	"_Cfunc_verbsgen_dpath_notify":        1,
	"_Cfunc_verbsgen_dpath_post_and_poll": 2,
	"_Cfunc_verbsgen_devmem_write":        1,
	"_Cfunc_verbsgen_devmem_read":         1,
	"verbsgen_dpath_spin":                 0,
	"/dmcopy.WriteAt.abi0":                0,
	"/dmcopy.ReadAt.abi0":                 0,
	"/dmcopy.WriteWide.abi0":              0,
	"/dmcopy.Put32.abi0":                  0,
	"/dmcopy.Get32.abi0":                  0,
}

// locked finds instructions that wait for other processors or for stores: those with the prefix lock, an exchange with memory, which
// has it without saying so, and fences.
var locked = regexp.MustCompile(`\b(lock|mfence|cpuid|serialize)\b|\bxchg\b.*\(`)

// TestNothingLocked disassembles programs, which have symbols other than this one, and looks for locked instructions in the calls that
// Close waits for.
func TestNothingLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	for _, tool := range []string{"go", "objdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	found := map[string]bool{}
	for _, of := range []string{"dpath", "devmem"} {
		binary := build(t, nil, "../runtime/gensupport/"+of)
		f := must(elf.Open(binary))(t)
		defer f.Close()
		for _, s := range must(f.Symbols())(t) {
			for end, fences := range crossings {
				if elf.ST_TYPE(s.Info) != elf.STT_FUNC || !strings.HasSuffix(s.Name, end) {
					continue
				}
				found[end] = true
				all, likely := lockedIn(t, binary, s)
				if len(likely) > 0 || len(all) != fences {
					t.Errorf("%s: locked before the first return: %q; in all: %q, want %d", s.Name, likely, all, fences)
				}
			}
		}
	}
	for end := range crossings {
		if !found[end] {
			t.Errorf("the program has no function %s", end)
		}
	}
}

// lockedIn returns the locked instructions of a function, and those among them that stand before its first return.
func lockedIn(t *testing.T, binary string, s elf.Symbol) (all, likely []string) {
	t.Helper()
	out, err := exec.Command("objdump", "-d", "--no-show-raw-insn", fmt.Sprintf("--start-address=%#x", s.Value),
		fmt.Sprintf("--stop-address=%#x", s.Value+s.Size), binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	instruction := regexp.MustCompile(`(?m)^\s+[0-9a-f]+:\s+(.*)$`)
	returned := false
	for _, line := range instruction.FindAllStringSubmatch(string(out), -1) {
		if returned = returned || strings.HasPrefix(line[1], "ret"); !locked.MatchString(line[1]) {
			continue
		}
		all = append(all, line[1])
		if !returned {
			likely = append(likely, line[1])
		}
	}
	if !returned {
		t.Errorf("%s has no return", s.Name)
	}
	return all, likely
}
