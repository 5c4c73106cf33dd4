//go:build linux && cgo

package conformance

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// farSide is this program as the listening side, in a process of its own.
type farSide struct {
	addr string
	cmd  *exec.Cmd
	out  *bufio.Reader
}

// startFar starts it on a port of its own.
func startFar(t *testing.T, args ...string) *farSide {
	t.Helper()
	f := &farSide{cmd: exec.CommandContext(t.Context(), os.Args[0], append([]string{"-listen", "127.0.0.1:0"}, args...)...)}
	out := must(f.cmd.StdoutPipe())(t)
	f.cmd.Stderr = f.cmd.Stdout
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.out = bufio.NewReader(out)
	line, err := f.out.ReadString('\n')
	_, rest, ok := strings.Cut(line, "listening on ")
	if !ok {
		t.Fatalf("%q, %v", line, err)
	}
	f.addr, _, _ = strings.Cut(rest, " ")
	return f
}

// end waits for its end and gives what it said.
func (f *farSide) end() (string, error) {
	var b strings.Builder
	_, _ = f.out.WriteTo(&b)
	return b.String(), f.cmd.Wait()
}

// near runs some cases against a far side.
func near(t *testing.T, addr string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), os.Args[0],
		append([]string{"-test.run", "^TestSuite$/^CF-(dev|acc)-", "-test.v", "-connect", addr}, args...)...).CombinedOutput()
	return string(out), err
}

// TestRehearsal runs both sides on devices made of software, with a secret: all but the connections of queue pairs.
func TestRehearsal(t *testing.T) {
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "report.json"), filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("the secret of both\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := startFar(t, "-once", "-secret", secret)
	if out, err := near(t, f.addr); err == nil || !strings.Contains(out, "it serves only those who have its secret") {
		t.Errorf("without the secret: %v\n%s", err, out)
	}
	out, err := near(t, f.addr, "-report", file, "-secret", secret)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data := must(os.ReadFile(file))(t)
	r := must(report.Decode(data))(t)
	if name, _ := os.Hostname(); r.Peer == nil || r.Peer.Host.Name != name || r.Peer.Device.Name != "soft0" ||
		r.Peer.Host.Kernel != r.Host.Kernel {
		t.Errorf("peer %+v", r.Peer)
	}
	if n := r.Count(); n[report.Pass] == 0 || n[report.Skip] == 0 || n[report.Fail] != 0 {
		t.Errorf("%v", n)
	}
	said, err := f.end() // by -once
	if err != nil || !strings.Contains(said, ": the session is over; it had 0 ends\n") || !strings.HasSuffix(said, " done\n") {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestListenEnds ends the listening side by signals and by its idle time; with -once nobody is an error.
func TestListenEnds(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		f := startFar(t)
		if err := f.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if said, err := f.end(); err != nil || !strings.HasSuffix(said, " done\n") {
			t.Errorf("%v: %v\n%s", sig, err, said)
		}
	}
	if said, err := startFar(t, "-idle", "100ms", "-once").end(); err == nil || !strings.HasSuffix(said, "nobody connected for 100ms\n") {
		t.Errorf("-idle -once: %v\n%s", err, said)
	}
}
