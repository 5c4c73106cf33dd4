//go:build linux && cgo

package device

import (
	"fmt"
	"math/bits"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/examples/devinfo/devinfo"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// facts reads what ibv_devinfo -v prints: lines of a name and a value, in order, and below some of them the names of flags. Where there is
// no name, as in an older program, it prints the bits.
func facts(t *testing.T, text string) (lines []string, flags map[string][]string, unknown map[string]int) {
	flags, unknown = map[string][]string{}, map[string]int{}
	of := ""
	for line := range strings.Lines(text) {
		words := strings.Join(strings.Fields(line), " ")
		bare, isFlag := strings.CutPrefix(words, "Unknown flags: ")
		switch {
		case words == "":
		case isFlag:
			var v uint64
			must(fmt.Sscanf(bare, "0x%x", &v))(t)
			unknown[of] += bits.OnesCount64(v)
		case strings.HasPrefix(line, "\t\t\t\t\t"):
			flags[of] = append(flags[of], words)
		default:
			of = words
			lines = append(lines, words)
		}
	}
	slices.Sort(lines)
	return lines, flags, unknown
}

// TestDevinfo compares what examples/devinfo prints of the device with what the C program prints: every field of the device
// and its ports, the flags by name, and the GIDs.
func TestDevinfo(t *testing.T) {
	b := open(t)
	said, err := exec.Command("ibv_devinfo", "-v", "-d", b.name).CombinedOutput()
	if err != nil {
		lacking(t, "ibv_devinfo: %v\n%s", err, said)
	}
	list := must(b.lib.Devices())(t)
	at := slices.IndexFunc(list, func(i verbs.DeviceEntry) bool { return i.Name == b.name })
	var text strings.Builder
	if err := devinfo.Write(&text, b.dev, list[at]); err != nil {
		t.Fatal(err)
	}
	ours, flags, unknown := facts(t, text.String())
	theirs, theirFlags, theirUnknown := facts(t, string(said))
	if !slices.Equal(ours, theirs) || len(theirs) < 80 || len(theirFlags) < 2 {
		t.Errorf("ours is\n%s\nand that of ibv_devinfo\n%s", &text, said)
	}
	for _, of := range theirs {
		for _, f := range theirFlags[of] {
			if !slices.Contains(flags[of], f) {
				t.Errorf("%s: ours lacks the flag %s", of, f)
			}
		}
		if len(flags[of])+unknown[of] != len(theirFlags[of])+theirUnknown[of] {
			t.Errorf("%s: ours has %v and %d unknown flags, ibv_devinfo %v and %d", of, flags[of], unknown[of], theirFlags[of], theirUnknown[of])
		}
	}
}
