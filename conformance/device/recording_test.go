//go:build linux && cgo

package device

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// recording is what a kernel answered to the combinations of the named flags: a letter each, in the order of namedValues.
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

const perLine = 64

// fill asks the kernel.
func (r *recording) fill(kernel func(uint32) syscall.Errno) error {
	r.Letters, r.Answers = map[string]string{}, nil
	var line strings.Builder
	for i, v := range namedValues() {
		e := kernel(v)
		letter, ok := letters[e]
		if !ok {
			return fmt.Errorf("access %v: no letter for the answer %s", verbs.MRAccess(v), errnoName(e))
		}
		r.Letters[letter] = errnoName(e)
		line.WriteString(letter)
		if i%perLine == perLine-1 {
			r.Answers = append(r.Answers, line.String())
			line.Reset()
		}
	}
	return nil
}

// summary counts the answers.
func (r *recording) summary() string {
	all := strings.Join(r.Answers, "")
	var parts []string
	for letter, name := range r.Letters {
		parts = append(parts, fmt.Sprintf("%s %d", name, strings.Count(all, letter)))
	}
	sort.Strings(parts)
	return fmt.Sprintf("kernel %s, device_cap_flags_ex %#x, on-demand %#x: %s", r.Kernel, r.DeviceCapFlagsEx, r.ODPGeneralCaps,
		strings.Join(parts, ", "))
}

func (r *recording) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
