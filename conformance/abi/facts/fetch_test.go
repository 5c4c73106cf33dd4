package facts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// archive puts an apt in front of the machine's: its suites have the given version of every package, or cannot be read.
func archive(t *testing.T, version string) {
	t.Helper()
	if _, err := os.Stat("/usr/share/keyrings/debian-archive-keyring.gpg"); err != nil {
		t.Skip("the script is for Debian: ", err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"apt-get": `case "$*" in
*indextargets*) echo 'Debian|Debian|main|http://archive.invalid/debian' ;;
*update*) [ -n "$VERSION" ] || { echo "E: Could not resolve 'archive.invalid'" >&2; exit 100; } ;;
*) echo "no download is expected: $*" >&2; exit 1 ;;
esac`,
		"apt-cache": `for last; do :; done
[ "$VERSION" = none ] || echo "$last | $VERSION | http://archive.invalid/debian sid/main amd64 Packages"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("VERSION", version)
}

// TestFetchSays asks for what cannot be had: each time it is said why, and nothing is left behind.
func TestFetchSays(t *testing.T) {
	for _, c := range []struct{ name, version, line, want string }{
		{"moved on", "66.0-1", "CACHE 65.0", "fetch: libibverbs1 of release 65.0 is gone: sid has 66.0-1 now"},
		{"epoch", "1:66.0-1", "CACHE 65.0", "sid has 1:66.0-1 now"},
		{"no package", "none", "CACHE 65.0", "sid has no such package any more"},
		{"newer kernel", "6.1.200-1", "--for source CACHE 6.1.192",
			"fetch: linux-source-6.1 of release 6.1.192 is gone: bookworm has 6.1.200-1 now"},
		{"another kernel", "6.2.1-1", "--for kernel CACHE 6.1", "fetch: linux-image-amd64 of release 6.1 is gone: bookworm has 6.2.1-1 now"},
		{"newer tarball", "66.0-1", "--for source CACHE 65.0", "fetch: rdma-core of release 65.0 is gone: sid has 66.0-1 now"},
		{"no archive", "", "CACHE 65.0", "fetch: the archive of sid, for release 65.0, cannot be read"},
		{"unknown release", "66.0-1", "CACHE 1.0", "no suite of Debian is known for release 1.0"},
		{"old libc", "33.2-1", "--for guest CACHE 33.2", "programs built here need a newer C library than bullseye has"},
		{"purpose", "66.0-1", "--for fun CACHE 65.0", "pass facts, run, arm64, guest, kernel, programs or source"},
		{"no purpose", "66.0-1", "--for", "--for wants a purpose"},
		{"no release", "66.0-1", "CACHE", "usage:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			archive(t, c.version)
			if c.name == "old libc" { // the suite's is 33.2 too
				getconf := filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "getconf")
				if err := os.WriteFile(getconf, []byte("#!/bin/sh\necho glibc 99.0\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cache := t.TempDir()
			out, err := exec.Command("./fetch.sh", strings.Fields(strings.ReplaceAll(c.line, "CACHE", cache))...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v, no %q in:\n%s", err, c.want, out)
			}
			if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestLibsNotRun runs make libs where no release can be had: a frame says that nothing ran, and it is a failure where
// the releases are required.
func TestLibsNotRun(t *testing.T) {
	for _, version := range []string{"", "66.0-1"} {
		archive(t, version)
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		for required, fails := range map[string]bool{"": false, "0": false, "1": true} {
			t.Setenv("VERBS_REQUIRE_RELEASES", required)
			out, err := exec.Command("../../../.ci/libs", "44.0", "65.0").CombinedOutput()
			if (err != nil) != fails || !strings.Contains(string(out), "==== NOT RUN: WITH THE LIBIBVERBS OF 44.0 65.0\n") ||
				!strings.Contains(string(out), "release 65.0") {
				t.Errorf("version %q, VERBS_REQUIRE_RELEASES=%q: %v\n%s", version, required, err, out)
			}
		}
	}
}
