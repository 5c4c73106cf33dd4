//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/parser/gotest"
)

// TestUse gives the command wrong lines; each is told what is wrong, with status 2.
func TestUse(t *testing.T) {
	for line, says := range map[string]string{
		"-kernel 5.4 -- true":      "known: 6.1, 6.12, 7.2",
		"-accel none -- true":      "auto, tcg or kvm",
		"-kernel 6.1":              "nothing to run",
		"-memory 5 -- true":        "at least 256",
		"-nosuchflag":              "not defined",
		"-time 1ms -packages ./x":  "at least 256, -cpus 1, -time 1s",
		"-cpus 0 -packages ./x -v": "-cpus 1",
		"-args ./x -packages ./x":  "PKG=FLAGS",
		"-args y=-v -packages ./x": "none of -packages ./x",
		"-rdma 65.0 -root /x -- y": "-rdma makes a root",
	} {
		var told strings.Builder
		if got := run(t.Context(), &told, &told, strings.Fields(line)); got != statusUsage || !strings.Contains(told.String(), says) {
			t.Errorf("%s: status %d, %s", line, got, &told)
		}
	}
}

// TestNotRun says loudly that nothing ran, and fails where a device is required.
func TestNotRun(t *testing.T) {
	for value, want := range map[string]int{"": 0, "0": 0, "1": statusNotRun} {
		t.Setenv("VERBS_REQUIRE_DEVICE", value)
		var told strings.Builder
		got := notRun(newProgress(&told), errors.New("no emulator"))
		if got != want || !strings.Contains(told.String(), "NOT RUN: NO TEST MET A KERNEL DEVICE\nno emulator\n") {
			t.Errorf("VERBS_REQUIRE_DEVICE=%q: status %d, %s", value, got, &told)
		}
	}
}

// TestUnknownRelease asks for a root with a release that no suite has: it is said which, and that nothing ran.
func TestUnknownRelease(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("VERBS_REQUIRE_DEVICE", "1")
	var told strings.Builder
	got := run(t.Context(), &told, &told, strings.Fields("-rdma 1.0 -- true"))
	if got != statusNotRun || !strings.Contains(told.String(), "NO TEST MET A KERNEL DEVICE\na root with rdma-core 1.0: fetch.sh: ") {
		t.Errorf("status %d, %s", got, &told)
	}
}

// TestWidenPath finds the tools of the system with a path that leads to none of them.
func TestWidenPath(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	widenPath()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Error(err)
	}
	if path := os.Getenv("PATH"); !strings.HasPrefix(path, "/nowhere:") {
		t.Errorf("the path is now %s: what it had does not come first", path)
	}
}

// TestMissing names packages by commands and files.
func TestMissing(t *testing.T) {
	got := missing("/", []need{
		{"a", []string{"sh"}}, {"b", []string{"no-such-command-anywhere"}}, {"c", []string{"/no/such/file*", "/"}},
		{"d", []string{"/no/such/file*"}},
	})
	if !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("missing %q", got)
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "usr/bin/there"), "", 0o755)
	if got := missing(root, []need{{"a", []string{"there"}}, {"b", []string{"sh"}},
		{"c", []string{"/usr/bin/th*"}}}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("missing in another root %q", got)
	}
	if err := needInRoot(root, guestPackages); err == nil || !strings.Contains(err.Error(), "chroot "+root) {
		t.Errorf("an empty root: %v", err)
	}
}

// TestQuote has a shell read what was quoted.
func TestQuote(t *testing.T) {
	const odd = `a 'b' "c" $d \e` + "\n*"
	j := &job{dir: t.TempDir()}
	if err := j.write("/", []string{"printf", "%s", odd}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", j.file("run")).Output()
	if err != nil || string(out) != odd {
		t.Errorf("%q, %v", out, err)
	}
}

// TestOutFolder takes an empty folder or the one of an earlier run, and nothing else.
func TestOutFolder(t *testing.T) {
	mine := t.TempDir()
	write(t, filepath.Join(mine, "guest.sh"), "precious", 0o644)
	if _, err := emptyFolder(mine); err == nil {
		t.Error("a folder with other files is taken")
	}
	var told strings.Builder
	if got := test(t.Context(), &options{out: mine}, nil, newProgress(&told), &told); got != statusUsage ||
		!strings.Contains(told.String(), "holds other files") {
		t.Errorf("status %d, %s", got, &told)
	}
	if _, err := os.Stat(filepath.Join(mine, "guest.sh")); err != nil {
		t.Error(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	for range 2 {
		if _, err := emptyFolder(dir); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("left: %v, %v", left, err)
		}
		write(t, filepath.Join(dir, "jobs/00/status"), "0", 0o644)
	}
}

// TestCount reads a test binary's output.
func TestCount(t *testing.T) {
	const text = `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
    b_test.go:1: no such device
--- SKIP: TestB (0.00s)
=== RUN   TestC
    c_test.go:1: wrong
--- FAIL: TestC (0.00s)
FAIL
`
	tests, err := gotest.NewParser(gotest.PackageName("example.org/p")).Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := count(tests); got.passed != 1 || !slices.Equal(got.failed, []string{"TestC: c_test.go:1: wrong"}) ||
		!slices.Equal(got.skipped, []string{"TestB: b_test.go:1: no such device"}) {
		t.Errorf("%+v", got)
	}
	file := filepath.Join(t.TempDir(), "junit.xml")
	if err := writeJUnit(file, tests); err != nil {
		t.Fatal(err)
	}
	xml, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`<testsuite name="example.org/p" tests="3" failures="1" `, `<testcase name="TestA" classname="example.org/p" `,
		`b_test.go:1: no such device`, `c_test.go:1: wrong`} {
		if !strings.Contains(string(xml), s) {
			t.Errorf("no %s in\n%s", s, xml)
		}
	}
}

// TestInstall waits while another process has the lock of the lists, goes by sudo where it asks for no password, and goes on with old
// lists.
func TestInstall(t *testing.T) {
	const apt = "-qq -o DPkg::Lock::Timeout=600 "
	locked := `[ "$(grep -c update "$SAID")" -gt 2 ] || { echo 'E: Could not get lock /var/lib/apt/lists/lock.' >&2; exit 100; }`
	for _, c := range []struct{ name, user, sudo, update, want, says string }{
		{"root", "0", "exit 1", "", "update;install -y --no-install-recommends a b;", ""},
		{"lock", "0", "exit 1", locked, "update;update;update;install -y --no-install-recommends a b;", "waiting for another process"},
		{"old lists", "0", "exit 1", "echo 'E: no network' >&2; exit 100", "update;install -y --no-install-recommends a b;", "E: no network"},
		{"sudo", "1000", `shift; exec "$@"`, "", "update;install -y --no-install-recommends a b;", ""},
		{"password", "1000", "exit 1", "", "", "as root: apt-get install --no-install-recommends a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			said := filepath.Join(dir, "said")
			write(t, said, "", 0o644)
			t.Setenv("SAID", said)
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			for name, text := range map[string]string{"id": "echo " + c.user, "sudo": c.sudo, "sleep": "",
				"apt-get": "echo \"$*\" >>\"$SAID\"\ncase \"$*\" in *update)\n" + c.update + "\nesac"} {
				write(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n", 0o755)
			}
			out, err := exec.Command("./install.sh", "a", "b").CombinedOutput()
			calls, e := os.ReadFile(said)
			got := strings.ReplaceAll(strings.ReplaceAll(string(calls), apt, ""), "\n", ";")
			if e != nil || (err == nil) != (c.want != "") || got != c.want || !strings.Contains(string(out), c.says) {
				t.Errorf("%v, calls %q, want %q; it said %q, want %q", err, got, c.want, out, c.says)
			}
		})
	}
}
