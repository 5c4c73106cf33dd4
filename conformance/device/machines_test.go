//go:build linux && cgo

package device

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// suiteProgram returns the file of the suite's test binary: the one beside this one in a virtual machine, or VERBS_SUITE.
func suiteProgram(t *testing.T) string {
	t.Helper()
	file := os.Getenv("VERBS_SUITE")
	if found, _ := filepath.Glob(filepath.Join(os.Getenv("VERBS_OUT"), "bin", "*-conformance.test")); file == "" && len(found) == 1 {
		file = found[0]
	}
	if file == "" {
		lacking(t, "no program of the suite: add ./conformance to -packages of the virtual machine, or name one that is built in VERBS_SUITE")
	}
	return file
}

// sides are two processes of the suite: one serves a device, the other runs cases on another, or the same if there is only one.
type sides struct {
	near, far       *exec.Cmd
	nearOut, farOut *bufio.Reader
	report          string
}

// start starts both sides; the cases are those that a pattern names.
func start(t *testing.T, cases string) *sides {
	t.Helper()
	real, name := library(t)
	program := suiteProgram(t)
	other := name
	for _, d := range must(must(verbs.LoadFrom(real))(t).Devices())(t) {
		if d.Name != name {
			other = d.Name
		}
	}
	before := resources(t, name) + resources(t, other)
	s := &sides{report: filepath.Join(t.TempDir(), "report.json")}
	t.Cleanup(func() {
		if after := resources(t, name) + resources(t, other); after != before {
			t.Errorf("objects of the kernel before %q, after %q", before, after)
		}
	})
	s.far, s.farOut = begin(t, program, "-device", other, "-listen", "127.0.0.1:0", "-once")
	_, rest, _ := strings.Cut(must(s.farOut.ReadString('\n'))(t), "listening on ")
	addr, _, ok := strings.Cut(rest, " ")
	if !ok {
		t.Fatalf("the far side began with %q", rest)
	}
	s.near, s.nearOut = begin(t, program, "-test.run", "^TestSuite$/"+cases, "-test.v", "-device", name, "-connect", addr, "-report", s.report)
	return s
}

// begin starts a process. It is over when the test is.
func begin(t *testing.T, program string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(program, args...)
	out := must(cmd.StdoutPipe())(t)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(out)
}

// ended waits for a process and gives what it said further.
func ended(t *testing.T, cmd *exec.Cmd, out *bufio.Reader) (string, error) {
	t.Helper()
	said, err := io.ReadAll(out)
	if err != nil {
		t.Error(err)
	}
	return string(said), cmd.Wait()
}

// TestTwoMachines runs cases of the suite on queues and on memory regions against a far side in another process, over the wire
// between the two
// devices. It has this machine's kernel in the place of a second one.
func TestTwoMachines(t *testing.T) {
	s := start(t, "^CF-(que-00[1-3]|mr-000[1-4])")
	said, err := ended(t, s.near, s.nearOut)
	if err != nil {
		t.Fatalf("near: %v\n%s", err, said)
	}
	there, err := ended(t, s.far, s.farOut)
	if err != nil || !regexp.MustCompile(`the session is over; it had [1-9][0-9]* ends\n`).MatchString(there) {
		t.Errorf("far: %v\n%s", err, there)
	}
	t.Log(there)
	r := must(report.Decode(must(os.ReadFile(s.report))(t)))(t)
	release, _ := kernelRelease(t)
	if r.Peer == nil || r.Peer.Host.Kernel != release || r.Peer.Library != r.Library {
		t.Errorf("peer %+v", r.Peer)
	}
	for _, c := range r.Cases {
		if c.Status != report.Pass && c.Status != report.Known {
			t.Errorf("%s: %s %s", c.ID, c.Status, c.Reason)
		}
	}
	t.Log(r.Count())
}

// TestFarSideKilled kills the far side when the third case begins. That case may fail; those after it are skipped and say why.
func TestFarSideKilled(t *testing.T) {
	s := start(t, "^CF-mr-000[1-9]")
	for line := ""; !strings.HasPrefix(line, "=== RUN   TestSuite/CF-mr-0003"); {
		line = must(s.nearOut.ReadString('\n'))(t)
	}
	if err := s.far.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	said, _ := ended(t, s.near, s.nearOut)
	r := must(report.Decode(must(os.ReadFile(s.report))(t)))(t)
	skipped := 0
	for _, c := range r.Cases {
		gone := strings.HasPrefix(c.Reason, "needs peer: the far side is gone: ")
		switch {
		case c.ID < "CF-mr-0003" && c.Status != report.Pass, c.ID > "CF-mr-0004" && c.Status == report.Fail:
			t.Errorf("%s: %s %s", c.ID, c.Status, c.Reason)
		case gone && c.Status == report.Skip:
			skipped++
		case c.Status == report.Fail:
			t.Logf("%s: %s", c.ID, c.Reason)
		}
	}
	if skipped < 3 {
		t.Errorf("%d cases were skipped as the far side was gone\n%s", skipped, said)
	}
}
