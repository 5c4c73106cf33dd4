package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// Remote keys by which a fake end is told to misbehave.
const (
	keyWaits  = 0xf001 // waits for its context
	keyStuck  = 0xf002 // waits for the world's end
	keyNoWay  = 0xf003
	keyNotHad = 0xf004
	keyRefuse = 0xf005 // completes with status 10
)

const sizeRefused = 12345 // of a receive

// world is the device of fake ends. What reaches one end's window is seen by all: there is one window.
type world struct {
	mu     sync.Mutex
	window [far.WindowSize]byte
	open   int
	shut   int // makers closed
	end    chan struct{}
}

func newWorld(t *testing.T) *world {
	w := &world{end: make(chan struct{})}
	t.Cleanup(func() { close(w.end) })
	return w
}

// left says how many ends are open, and how many makers were closed.
func (w *world) left() (ends, shut int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open, w.shut
}

func (w *world) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut++
	return nil
}

func (w *world) NewEnd(_ context.Context, kind far.Kind) (far.End, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open++
	return &fakeEnd{w: w, at: far.Address{Kind: kind, QPN: 0xabcdef, PSN: 0xfedcba, QKey: 7, GID: [16]byte{0xfe, 0x80, 15: 9},
		LID: 0xbeef, MTU: 5, Base: 1 << 63, RKey: 1 << 31}}, nil
}

// fakeEnd sends to itself, and operates on the window of its world at offset Addr.
type fakeEnd struct {
	w        *world
	at, to   far.Address
	rooms    []int
	messages []far.Op
}

func (e *fakeEnd) Address() far.Address { return e.at }

func (e *fakeEnd) Connect(_ context.Context, to far.Address) error {
	e.to = to
	if to.RKey == keyRefuse {
		return fmt.Errorf("connected to %+v", to)
	}
	return nil
}

func (e *fakeEnd) Do(ctx context.Context, op far.Op) (far.Result, error) {
	switch op.RKey {
	case keyWaits:
		<-ctx.Done()
		return far.Result{}, fmt.Errorf("no completion: %w", ctx.Err())
	case keyStuck:
		<-e.w.end
	case keyNoWay:
		return far.Result{}, fmt.Errorf("the port is down: %w", far.ErrNoWay)
	case keyNotHad:
		return far.Result{}, fmt.Errorf("such an operation: %w", errors.ErrUnsupported)
	case keyRefuse:
		return far.Result{Status: 10}, nil
	}
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	switch op.Code {
	case far.Write:
		copy(e.w.window[op.Addr:], op.Data)
	case far.Read:
		return far.Result{Data: slices.Clone(e.w.window[op.Addr:][:op.Length])}, nil
	case far.FetchAdd:
		return far.Result{Old: op.Addr + op.Value}, nil
	case far.CompareSwap:
		return far.Result{Old: op.Compare - op.Value}, nil
	case far.Send:
		e.messages = append(e.messages, op)
	}
	return far.Result{}, nil
}

func (e *fakeEnd) PostRecv(_ context.Context, size int) error {
	if size == sizeRefused {
		return errors.New("no room for it")
	}
	e.rooms = append(e.rooms, size)
	return nil
}

func (e *fakeEnd) WaitRecv(ctx context.Context) (far.Received, error) {
	if len(e.rooms) == 0 || len(e.messages) == 0 {
		<-ctx.Done()
		return far.Received{}, ctx.Err()
	}
	m := e.messages[0]
	e.messages, e.rooms = e.messages[1:], e.rooms[1:]
	return far.Received{Data: m.Data, Length: len(m.Data), WithImm: m.WithImm, Imm: m.Imm, GRH: make([]byte, 40), SrcQP: 1<<24 - 1}, nil
}

func (e *fakeEnd) Load(_ context.Context, offset, length int) ([]byte, error) {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	return slices.Clone(e.w.window[offset:][:length]), nil
}

func (e *fakeEnd) Store(_ context.Context, offset int, data []byte) error {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	copy(e.w.window[offset:], data)
	return nil
}

func (e *fakeEnd) Close() error {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	e.w.open--
	return nil
}

// quick are times for tests: long enough for a loaded machine where waiting is wrong, short where it is awaited.
func quick() times {
	return times{Greeting: 20 * time.Second, Step: 20 * time.Second, Operation: 20 * time.Second, Grace: 20 * time.Second,
		Silence: 20 * time.Second, Ping: 5 * time.Second, Busy: 10 * time.Millisecond, Again: 50 * time.Millisecond}
}

// serving is a running server.
type serving struct {
	*Server
	world *world
	addr  string
	stop  context.CancelFunc
	over  chan error
	mu    sync.Mutex
	lines []string
}

// serve has a server listen on a port of its own. It is stopped at the end of the test.
func serve(t *testing.T, change func(*Server)) *serving {
	t.Helper()
	s := &serving{world: newWorld(t), over: make(chan error, 1)}
	s.Server = &Server{Suite: "a suite", About: someone("far"), times: quick(),
		Open: func() (far.Maker, error) { return s.world, nil }, Log: s.log}
	if change != nil {
		change(s.Server)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() { s.over <- s.Serve(ctx, ln) }()
	t.Cleanup(s.stop)
	return s
}

func (s *serving) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// until waits until nothing is wrong.
func until(t *testing.T, wrong func() string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		why := wrong()
		if why == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(why)
		}
	}
}

// free waits until nobody is served.
func (s *serving) free(t *testing.T) {
	t.Helper()
	until(t, func() string {
		s.Server.mu.Lock()
		defer s.Server.mu.Unlock()
		if s.session == nil {
			return ""
		}
		return s.session.guest + " is still served"
	})
}

// said waits for a line with a text.
func (s *serving) said(t *testing.T, text string) {
	t.Helper()
	until(t, func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		all := strings.Join(s.lines, "\n")
		if strings.Contains(all, text) {
			return ""
		}
		return fmt.Sprintf("the server did not say %q but:\n%s", text, all)
	})
}

// ended waits for the server's end; then nothing of its sessions is open.
func (s *serving) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.over:
		if ends, _ := s.world.left(); ends != 0 {
			t.Errorf("%d ends are left open", ends)
		}
		return err
	case <-time.After(time.Minute):
		t.Fatal("the server goes on")
		return nil
	}
}

func someone(name string) About {
	return About{Host: report.Host{Name: name, OS: "linux", Arch: "amd64", Kernel: "6.1.0"},
		Library: report.Library{Name: "libibverbs.so.1", RDMACore: "44.0"},
		Device:  report.Device{Name: "rxe0", Provider: "rdma_rxe", VendorID: 0x15b3, PartID: 1}}
}

func client(addr string) Client {
	return Client{Address: addr, Suite: "a suite", About: someone("near"), times: quick(), Log: func(string, ...any) {}}
}

func dial(t *testing.T, addr string) *Peer {
	t.Helper()
	p, err := Dial(t.Context(), client(addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func newEnd(t *testing.T, p *Peer) far.End {
	t.Helper()
	e, err := p.NewEnd(t.Context(), far.RC)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// says checks an error for a part of its text.
func says(t *testing.T, what string, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v, want one with %q", what, err, text)
	}
}
