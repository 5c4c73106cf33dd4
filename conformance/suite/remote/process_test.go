package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// asServer makes this program the far side.
const asServer = "VERBSGEN_REMOTE_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(ln.Addr())
	s := &Server{Suite: "a suite", About: someone("another process"), Log: func(f string, args ...any) { fmt.Printf(f+"\n", args...) },
		Open: func() (far.Maker, error) { return &world{end: make(chan struct{})}, nil }}
	if err := s.Serve(ctx, ln); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// process starts a server in a process of its own.
func process(t *testing.T) (addr string, server *os.Process, over func() string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	addr, err = lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(addr), cmd.Process, func() string {
		var rest strings.Builder
		_, _ = lines.WriteTo(&rest)
		err := cmd.Wait()
		return fmt.Sprintf("%sended with %v", rest.String(), err)
	}
}

// TestTwoProcesses uses an end of another process, whose server then ends by a signal, without an error.
func TestTwoProcesses(t *testing.T) {
	addr, server, over := process(t)
	p := dial(t, addr)
	e := newEnd(t, p)
	if _, err := e.Do(t.Context(), far.Op{Code: far.Write, Addr: 5, Data: []byte("hello")}); err != nil {
		t.Error(err)
	}
	if b, err := e.Load(t.Context(), 4, 7); err != nil || string(b) != "\x00hello\x00" {
		t.Errorf("%q, %v", b, err)
	}
	if p.About().Host.Name != "another process" {
		t.Errorf("%v", p.About())
	}
	if err := server.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if said := over(); !strings.Contains(said, "the session ends after 1 ends: it was stopped\nended with <nil>") {
		t.Errorf("the server said:\n%s", said)
	}
}

// TestKilled kills the far side while an operation is under way: it fails at once, and no new end is to be had.
func TestKilled(t *testing.T) {
	addr, server, over := process(t)
	p := dial(t, addr)
	e := newEnd(t, p)
	time.AfterFunc(50*time.Millisecond, func() { _ = server.Kill() })
	_, err := e.Do(t.Context(), far.Op{Code: far.Write, RKey: keyWaits})
	says(t, "an operation", err, "do: the session with the far side at "+addr+" is lost: the connection was closed by the other side")
	if said := over(); !strings.Contains(said, "ended with signal: killed") {
		t.Error(said)
	}
	if _, err := p.NewEnd(t.Context(), far.RC); !errors.Is(err, ErrGone) {
		t.Errorf("a new end: %v", err)
	}
}

// TestFrozen stops the far side, as a machine that hangs: a call ends by its limit, and so does a new session.
func TestFrozen(t *testing.T) {
	addr, server, over := process(t)
	c := client(addr)
	c.times.Operation, c.times.Grace = 100*time.Millisecond, 50*time.Millisecond
	p, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e := newEnd(t, p)
	if err := server.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var stopped syscall.WaitStatus
	// its threads go on for a moment
	if _, err := syscall.Wait4(server.Pid, &stopped, syscall.WUNTRACED, nil); err != nil || !stopped.Stopped() {
		t.Fatalf("waiting for it to stop: %v, %v", stopped, err)
	}
	says(t, "an operation", e.Store(t.Context(), 0, nil), "is lost: nothing came or went for 200ms")
	p.cfg.times.Step = 100 * time.Millisecond
	_, err = p.NewEnd(t.Context(), far.RC)
	says(t, "a new end", err, "then: no greeting: nothing came or went for 100ms")
	if err := server.Kill(); err != nil {
		t.Error(err)
	}
	over()
}
