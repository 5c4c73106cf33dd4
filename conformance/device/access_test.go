//go:build linux && cgo

package device

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// recording is what a kernel answered to the 2048 combinations of the named access flags: a letter each.
type recording struct {
	Kernel           string            `json:"kernel"`
	Series           string            `json:"series"`
	DeviceCapFlagsEx uint64            `json:"device_cap_flags_ex"`
	ODPGeneralCaps   uint64            `json:"odp_general_caps"`
	Letters          map[string]string `json:"letters"`
	Answers          []string          `json:"answers"` // 64 letters each
}

// letters are the answers that there may be.
var letters = map[syscall.Errno]string{0: ".", syscall.EINVAL: "I", syscall.EOPNOTSUPP: "N", syscall.EFAULT: "F", syscall.ENOMEM: "M"}

// TestAccess asks the kernel for each combination, without the rules, and leaves the answers in the folder that comes out of a guest. Those
// of soft-RoCE are in testdata, where TestRecordedAnswers of cmd/verbsgen/internal/explain holds the rules against them; and CF-acc-0002
// holds the rules against any device.
func TestAccess(t *testing.T) {
	release, series := kernelRelease(t)
	b := open(t)
	attr := must(b.dev.QueryDeviceEx())(t)
	r := recording{release, series, uint64(attr.DeviceCapFlagsEx), uint64(attr.ODPCaps.General), map[string]string{}, nil}
	real, name := library(t)
	ctx := must(direct.Open(real, name))(t)
	defer ctx.Close()
	const page = 4096
	buf := must(mem.New(page, mem.Populate()))(t)
	defer buf.Close()
	for i := range uint32(2048) { // bit 10 of the index is the last flag
		access := i&0x3ff | i>>10*uint32(verbs.MRAccessRelaxedOrdering)
		errno := ctx.RegMR(buf.Addr(), page, uint64(buf.Addr()), access)
		letter, ok := letters[errno]
		if !ok {
			t.Fatalf("access %v: no letter for the answer %v", verbs.MRAccess(access), errno)
		}
		if r.Letters[letter] = "accepted"; errno != 0 {
			r.Letters[letter] = verr.ErrnoName(errno)
		}
		if i%64 == 0 {
			r.Answers = append(r.Answers, "")
		}
		r.Answers[i/64] += letter
	}
	text := must(json.MarshalIndent(r, "", "  "))(t)
	file := "access-" + series + ".json"
	if out := os.Getenv("VERBS_OUT"); out != "" {
		if err := os.WriteFile(filepath.Join(out, file), append(text, '\n'), 0o644); err != nil {
			t.Error(err)
		}
	}
	for _, letter := range slices.Sorted(maps.Keys(r.Letters)) {
		t.Logf("%s: %d", r.Letters[letter], strings.Count(fmt.Sprint(r.Answers), letter))
	}
	known, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil || !strings.HasPrefix(name, "rxe") {
		return
	}
	var before recording
	if err := json.Unmarshal(known, &before); err != nil || !slices.Equal(r.Answers, before.Answers) {
		t.Errorf("the kernel answers otherwise than testdata/%s has it: %v\n%s", file, err, text)
	}
}
