//go:build linux && cgo

package device

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// recording is what a kernel answered to the combinations of the named flags: a letter each, in the order of namedValues.
type recording struct {
	Kernel           string            `json:"kernel"`
	Series           string            `json:"series"`
	DeviceCapFlagsEx uint64            `json:"device_cap_flags_ex"`
	ODPGeneralCaps   uint64            `json:"odp_general_caps"`
	Letters          map[string]string `json:"letters"`
	Answers          []string          `json:"answers"` // 64 letters each

	byValue map[uint32]syscall.Errno
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

// answer returns what the kernel said.
func (r *recording) answer(v uint32) syscall.Errno { return r.byValue[v] }

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

// readRecording reads what write wrote.
func readRecording(path string) (*recording, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &recording{byValue: map[uint32]syscall.Errno{}}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	errnos := map[byte]syscall.Errno{}
	for e, letter := range letters {
		errnos[letter[0]] = e
	}
	all := strings.Join(r.Answers, "")
	values := namedValues()
	if len(all) != len(values) {
		return nil, fmt.Errorf("%s: %d answers, not %d", path, len(all), len(values))
	}
	for i, v := range values {
		e, ok := errnos[all[i]]
		if !ok {
			return nil, fmt.Errorf("%s: no answer has the letter %q", path, all[i])
		}
		r.byValue[v] = e
	}
	return r, nil
}

// softVerdict returns the validator's answers on a software device that tells the same of itself as the recorded one; with nil it
// cannot tell.
func softVerdict(t *testing.T, r *recording) func(uint32) bool {
	t.Helper()
	opts := []softverbs.Option{softverbs.WithoutOp("query_device_ex")}
	if r != nil {
		opts = []softverbs.Option{softverbs.CapFlags(r.DeviceCapFlagsEx), softverbs.ODP(r.ODPGeneralCaps, 0, 0, 0)}
	}
	soft := softverbs.New(opts...)
	t.Cleanup(func() { soft.Close() })
	dev := must(must(verbs.LoadFrom(soft))(t).OpenDevice("soft0"))(t)
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	buf := must(mem.New(page))(t)
	return forms[0].verdict(t, must(dev.AllocPD())(t), buf)
}
