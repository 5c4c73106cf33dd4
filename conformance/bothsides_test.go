//go:build linux && cgo

package conformance

import (
	"bufio"
	"net"
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
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
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

// TestRehearsal runs both sides on devices made of software: all but the connections of queue pairs.
func TestRehearsal(t *testing.T) {
	f := startFar(t, "-once")
	file := filepath.Join(t.TempDir(), "report.json")
	out, err := near(t, f.addr, "-report", file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
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

// TestSecretFile has both sides read a secret: the same one, and then another.
func TestSecretFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one": "the secret of both", "other": "the secret of nobody"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := startFar(t, "-once", "-secret", filepath.Join(dir, "one"))
	if out, err := near(t, f.addr, "-secret", filepath.Join(dir, "other")); err == nil ||
		!strings.Contains(out, "it will not serve: its secret is another one; start both sides with the same file as -secret") {
		t.Errorf("another secret: %v\n%s", err, out)
	}
	if out, err := near(t, f.addr, "-secret", filepath.Join(dir, "one")); err != nil {
		t.Errorf("the same secret: %v\n%s", err, out)
	}
	if said, err := f.end(); err != nil || !strings.Contains(said, "was turned away: its secret is another one") {
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
	if said, err := startFar(t, "-idle", "100ms").end(); err != nil || !strings.HasSuffix(said, " done\n") {
		t.Errorf("-idle: %v\n%s", err, said)
	}
	if said, err := startFar(t, "-idle", "100ms", "-once").end(); err == nil || !strings.HasSuffix(said, "nobody connected for 100ms\n") {
		t.Errorf("-idle -once: %v\n%s", err, said)
	}
}

// TestTwoMachinesWrong pins what wrong flags and far sides lead to.
func TestTwoMachinesWrong(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	for want, args := range map[string][]string{
		"-listen goes with neither -connect nor -peer-device": {"-listen", "127.0.0.1:0", "-peer-device", "x"},
		"ibv_query_port":                                             {"-listen", "127.0.0.1:0", "-port", "9"},
		"missing port in address":                                    {"-listen", "nowhere"},
		"-once and -idle are for the side with -listen":              {"-once"},
		"-connect and -peer-device: the other ends":                  {"-test.run", "^TestSuite$/^CF-dev", "-connect", addr, "-peer-device", "x"},
		"-connect " + addr + ": dial tcp " + addr + ": connect: con": {"-test.run", "^TestSuite$/^CF-dev", "-connect", addr, "-wait", "0"},
	} {
		out, err := exec.CommandContext(t.Context(), os.Args[0], args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v, want %q\n%s", args, err, want, out)
		}
	}
}
