package fail

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o700))
		check(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
	}
	return root
}

// TestNetRaw looks for the capability of a process, and says nothing of one that has it.
func TestNetRaw(t *testing.T) {
	for _, c := range []struct{ caps, ids, want string }{
		{"0000000000000000", "0 0 4294967295", "flows need CAP_NET_RAW, which this process does not have; give it (setcap "},
		{"000001ffffffdfff", "0 0 4294967295", "flows need CAP_NET_RAW, which this process does not have; give it (setcap "},
		{"0000000000002000", "0 1000 1", "flows need CAP_NET_RAW outside of a user namespace"},
		{"0000000000002000", "         0          0 4294967295", ""},
	} {
		proc := folder(t, map[string]string{"status": "Name:\tx\nCapEff:\t" + c.caps, "uid_map": c.ids})
		if got := netRawText(proc, "flows"); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := NetRaw(nil, syscall.EINVAL, "flows"); got != nil {
		t.Errorf("after EINVAL: %q", got)
	}
}
