//go:build linux && cgo

package device

import (
	"fmt"
	"math/bits"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/examples/devinfo/devinfo"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// fact is a line of ibv_devinfo, with the flags on the lines below it.
type fact struct {
	value   string
	flags   []string
	unknown uint64 // flags that have no name
}

// facts reads what ibv_devinfo -v prints: lines of a name and a value at one to three tabs, and flags at five. A name comes with
// the section or the port that it is in. A line without a value is a name.
func facts(text string) (map[string]*fact, error) {
	out := map[string]*fact{}
	var section, port string
	var last *fact
	for n, line := range strings.Split(text, "\n") {
		words := strings.TrimLeft(line, "\t")
		depth := len(line) - len(words)
		if words == "" {
			continue
		}
		if depth == 5 && last != nil {
			if hex, ok := strings.CutPrefix(words, "Unknown flags: 0x"); ok {
				v, err := strconv.ParseUint(hex, 16, 64)
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", n+1, err)
				}
				last.unknown = v
				continue
			}
			last.flags = append(last.flags, words)
			continue
		}
		name, value, _ := strings.Cut(words, ":\t")
		name, value = strings.TrimSuffix(name, ":"), strings.TrimSpace(value)
		switch {
		case depth == 1:
			section = name
		case depth == 2 && name == "port":
			port, name = "port "+value+"/", "port "+value
		case depth == 2:
			name = section + "/" + name
		case depth == 3:
			name = port + name
		case depth != 0:
			return nil, fmt.Errorf("line %d: %q: no line of ibv_devinfo has %d tabs", n+1, line, depth)
		}
		if out[name] != nil {
			return nil, fmt.Errorf("line %d: %q comes twice", n+1, name)
		}
		last = &fact{value: value}
		out[name] = last
	}
	return out, nil
}

// differences compares all facts, both ways. An older ibv_devinfo has fewer names for flags: it prints as many bits without a
// name as ours has names more.
func differences(ours, theirs map[string]*fact) []string {
	var out []string
	for name, o := range ours {
		t := theirs[name]
		switch {
		case t == nil:
			out = append(out, fmt.Sprintf("%s: ours only: %q %v", name, o.value, o.flags))
			continue
		case o.value != t.value:
			out = append(out, fmt.Sprintf("%s: ours %q, ibv_devinfo's %q", name, o.value, t.value))
		}
		for _, f := range t.flags {
			if !slices.Contains(o.flags, f) {
				out = append(out, fmt.Sprintf("%s: ours lacks the flag %s", name, f))
			}
		}
		if len(o.flags)+bits.OnesCount64(o.unknown) != len(t.flags)+bits.OnesCount64(t.unknown) {
			out = append(out, fmt.Sprintf("%s: flags: ours %v, %#x, ibv_devinfo's %v, %#x", name, o.flags, o.unknown, t.flags, t.unknown))
		}
	}
	for name, t := range theirs {
		if ours[name] == nil {
			out = append(out, fmt.Sprintf("%s: ibv_devinfo's only: %q %v", name, t.value, t.flags))
		}
	}
	slices.Sort(out)
	return out
}

// told writes down a device by the example, and reads it.
func told(t *testing.T, lib *verbs.Lib, dev *verbs.Device, name string) map[string]*fact {
	t.Helper()
	list := must(lib.Devices())(t)
	at := slices.IndexFunc(list, func(i verbs.DeviceEntry) bool { return i.Name == name })
	if at < 0 {
		t.Fatalf("%s is not in the list", name)
	}
	var text strings.Builder
	if err := devinfo.Write(&text, dev, list[at]); err != nil {
		t.Fatal(err)
	}
	return must(facts(text.String()))(t)
}

// TestDevinfo compares what examples/devinfo prints of the device with what the C program prints: every field of the device
// and its ports, the flags by name, and the GIDs.
func TestDevinfo(t *testing.T) {
	b := open(t)
	said, err := exec.Command("ibv_devinfo", "-v", "-d", b.name).CombinedOutput()
	if err != nil {
		lacking(t, "ibv_devinfo: %v\n%s", err, said)
	}
	ours, theirs := told(t, b.lib, b.dev, b.name), must(facts(string(said)))(t)
	for _, d := range differences(ours, theirs) {
		t.Error(d)
	}
	flags := 0
	for _, f := range theirs {
		flags += len(f.flags) + bits.OnesCount64(f.unknown)
	}
	if len(theirs) < 80 || flags < 5 || theirs["port 1/GID[  0]"] == nil {
		t.Errorf("ibv_devinfo printed %d fields and %d flags only:\n%s", len(theirs), flags, said)
	}
	t.Logf("compared %d fields with %d flags", len(theirs), flags)
}

// TestDifferences has the comparison find a field, a flag and a GID that one side lacks, and every other slip; and nothing
// where an older program lacks the names of flags.
func TestDifferences(t *testing.T) {
	s := softverbs.New(softverbs.StandardFields(), softverbs.ODP(1, 0xff, 0, 0))
	lib := must(verbs.LoadFrom(s))(t)
	dev := must(lib.OpenDevice("soft0"))(t)
	defer s.Close()
	defer dev.CloseAll()
	read := func() map[string]*fact { return told(t, lib, dev, "soft0") }
	if d := differences(read(), read()); len(d) != 0 {
		t.Errorf("the same: %q", d)
	}
	for want, change := range map[string]func(f map[string]*fact){
		"max_qp: ibv_devinfo's only":              func(f map[string]*fact) { delete(f, "max_qp") },
		"port 1/GID[  1]: ibv_devinfo's only":     func(f map[string]*fact) { delete(f, "port 1/GID[  1]") },
		"core clock not supported: ibv_devinfo's": func(f map[string]*fact) { delete(f, "core clock not supported") },
		"max_new: ours only":                      func(f map[string]*fact) { f["max_new"] = &fact{} },
		`rss_caps/rx_hash_function: ours "0x1"`:   func(f map[string]*fact) { f["rss_caps/rx_hash_function"].value = "0x1" },
		"rc_odp_caps: ours lacks the flag":        func(f map[string]*fact) { f["rc_odp_caps"].flags[2] = "SUPPORT_RITE" },
		"rc_odp_caps: flags: ours":                func(f map[string]*fact) { f["rc_odp_caps"].unknown = 0x100 },
	} {
		ours := read()
		change(ours)
		if d := differences(ours, read()); len(d) != 1 || !strings.HasPrefix(d[0], want) {
			t.Errorf("%q, want one that begins with %q", d, want)
		}
	}
	older := read()
	rc := older["rc_odp_caps"]
	rc.flags, rc.unknown = rc.flags[:6], 0xc0
	if d := differences(read(), older); len(d) != 0 {
		t.Errorf("an older program: %q", d)
	}
	for _, bad := range []string{"\tmax_qp:\t1\n\tmax_qp:\t1\n", "\tcaps:\n\t\t\t\t\tUnknown flags: 0xx\n", "\t\t\t\tname:\t1\n"} {
		if _, err := facts(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestQuery asks the same by the older verb.
func TestQuery(t *testing.T) {
	b := open(t)
	ex, plain := must(b.dev.QueryDeviceEx())(t), must(b.dev.QueryDevice())(t)
	if *plain != ex.OrigAttr {
		t.Errorf("the two queries differ:\n%+v\n%+v", *plain, ex.OrigAttr)
	}
}
