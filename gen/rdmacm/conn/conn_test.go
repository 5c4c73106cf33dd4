//go:build linux && cgo

package conn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

type machine struct {
	testing.TB
	ctx  context.Context
	cm   *softcm.Manager   // nil with the library of a kernel
	soft *softverbs.Device // as cm
	*conn.Network
	first, second netip.Addr // of its devices

	mu      sync.Mutex
	devices map[*verbs.Device]bool
}

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// newMachine has two devices and a network, which leave nothing open: those of a kernel if VERBS_DEVICE names one, else software devices.
func newMachine(t testing.TB) *machine {
	t.Helper()
	if device := os.Getenv("VERBS_DEVICE"); device != "" {
		return kernelMachine(t, device)
	}
	return softMachine(t)
}

// softMachine has two software devices.
func softMachine(t testing.TB, opts ...softcm.Option) *machine {
	t.Helper()
	return machineOf(t, func(cm *softcm.Manager) rdmacm.Symbols { return cm }, opts...)
}

// machineOf has them too, and their functions from a source.
func machineOf(t testing.TB, source func(*softcm.Manager) rdmacm.Symbols, opts ...softcm.Option) *machine {
	t.Helper()
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	cm := softcm.New(soft, opts...)
	t.Cleanup(func() {
		if err := errors.Join(cm.Close(), soft.Close()); err != nil {
			t.Error(err)
		}
	})
	m := &machine{TB: t, cm: cm, soft: soft, first: netip.MustParseAddr("10.0.0.1"), second: netip.MustParseAddr("10.0.0.2")}
	v, err := verbs.LoadFrom(soft)
	m.must(err)
	lib, err := rdmacm.LoadFrom(v, source(cm))
	m.must(err)
	m.begin(lib)
	return m
}

// kernelMachine has a device of a kernel, and another one if there is one.
func kernelMachine(t testing.TB, device string) *machine {
	t.Helper()
	m := &machine{TB: t}
	v, err := verbs.Load()
	m.must(err)
	list, err := v.Devices()
	m.must(err)
	for _, d := range list {
		dev, err := v.OpenDevice(d.Name)
		m.must(err)
		table, err := dev.GIDTable()
		m.must(err)
		for _, e := range table {
			switch a := netip.AddrFrom16(e.GID).Unmap(); {
			case !a.Is4():
			case d.Name == device:
				m.first = a
			default:
				m.second = a
			}
		}
		m.must(dev.Close())
	}
	if !m.second.IsValid() {
		m.second = m.first
	}
	lib, err := rdmacm.Load(v)
	m.must(err)
	m.begin(lib)
	return m
}

// begin makes the network.
func (m *machine) begin(lib *rdmacm.Lib) {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), 2*time.Minute) // ends what never comes
	network, err := conn.New(lib)
	m.must(err)
	m.ctx, m.Network, m.devices = ctx, network, map[*verbs.Device]bool{}
	m.Cleanup(func() {
		cancel()
		if err := network.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			m.Error(err)
		}
		for d := range m.devices {
			if err := d.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // Network closes those of endpoints
				m.Error(errors.Join(err, d.CloseAll()))
			}
		}
	})
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// with returns options with private data.
func (m *machine) with(private string) conn.Options {
	return conn.Options{QP: m.qp, Attr: rdmacm.ConnAttr{PrivateData: []byte(private), RetryCount: 7, RNRRetryCount: 7}}
}

func (m *machine) qp(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
	if err := m.uses(c); err != nil {
		return nil, err
	}
	return makeQP(c, attr)
}

// uses has the device of a connection be closed at the end.
func (m *machine) uses(c *conn.Conn) error {
	dev, err := c.ID.Device()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.devices[dev] = true
	return nil
}

func (m *machine) listen(o conn.ListenOptions) *conn.Listener {
	m.Helper()
	l, err := m.Listen(netip.AddrPortFrom(m.first, 0), o)
	m.must(err)
	return l
}

// left checks how many identifiers are open. A kernel shows none.
func (m *machine) left(want int) {
	m.Helper()
	if m.cm == nil {
		return
	}
	if n := strings.Count(strings.Join(m.cm.Leaks(), "\n"), "identifier"); n != want {
		m.Errorf("%d identifiers are open, want %d", n, want)
	}
}

// failed checks an error of an event or a call.
func (m *machine) failed(err error, op string, addr netip.AddrPort, want error, status conn.Status) *conn.Error {
	m.Helper()
	var e *conn.Error
	if !errors.As(err, &e) || e.Op != op || e.Addr != addr || e.Status != status || !errors.Is(err, want) ||
		!strings.Contains(err.Error(), fmt.Sprintf("%s %v: ", op, addr)) {
		m.Fatalf("%v (%#v), want %s %v: %v, %v", err, e, op, addr, want, status)
	}
	return e
}

// TestConnect: both ends have what the other one says, queue pairs that can send, and hear of the end.
func TestConnect(t *testing.T) {
	m := newMachine(t)
	l := m.listen(conn.ListenOptions{})
	accepted := make(chan *conn.Conn)
	go func() {
		o := m.with("")
		o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
			attr.PrivateData = append([]byte("hello "), c.Peer.PrivateData[:5]...)
			return m.qp(c, attr)
		}
		s, err := l.Accept(m.ctx, o)
		if err != nil {
			t.Error(err)
		}
		accepted <- s
	}()
	o := m.with("world")
	o.From, o.Attr.InitiatorDepth = netip.AddrPortFrom(m.second, 0), 3
	o.Prepare = func(id *rdmacm.ID) error {
		return id.SetOption(rdmacm.OptionLevelID, rdmacm.OptionIDTOS, []byte{104})
	}
	c, err := m.Dial(m.ctx, l.Addr(), o)
	m.must(err)
	if info, _, err := c.QP.Query(verbs.QPFieldAV); err != nil || info.AV.TrafficClass != 104 {
		t.Errorf("the path is %+v, %v", info.AV, err)
	}
	s := <-accepted
	if !bytes.HasPrefix(c.Peer.PrivateData, []byte("hello world\x00")) || s.Peer.ResponderResources != 3 {
		t.Errorf("client has %+v, server %+v", c.Peer, s.Peer)
	}
	if a, err := s.ID.PeerAddr(); err != nil || a.Addr() != m.second {
		t.Errorf("client at %v: %v", a, err)
	}
	for _, end := range []*conn.Conn{c, s} {
		a, _, err := end.QP.Query(verbs.QPFieldState)
		m.must(err)
		if a.State != verbs.QPStateRTS || end.Err() != nil {
			t.Errorf("%v, %v", a.State, end.Err())
		}
	}
	m.must(c.Close())
	<-c.Done()
	<-s.Done()
	if !errors.Is(c.Err(), os.ErrClosed) || !errors.Is(s.Err(), syscall.ECONNRESET) {
		t.Errorf("ends by %v and %v", c.Err(), s.Err())
	}
	m.must(errors.Join(s.Close(), l.Close()))
	wantIs(t, c.Close(), os.ErrClosed)
	m.left(0)
}

// TestReject: the peer hears why the program rejects it, and the next one is accepted.
func TestReject(t *testing.T) {
	m := newMachine(t)
	l := m.listen(conn.ListenOptions{})
	busy := errors.Join(errors.New("busy"), &conn.Refusal{Private: []byte("later")})
	for _, why := range []error{busy, errors.New("broken")} {
		done := make(chan error)
		go func() {
			_, err := l.Accept(m.ctx, conn.Options{QP: func(*conn.Conn, *rdmacm.ConnAttr) (*verbs.QP, error) { return nil, why }})
			done <- err
		}()
		_, err := m.Dial(m.ctx, l.Addr(), m.with(""))
		e := m.failed(err, "connect to", l.Addr(), syscall.ECONNREFUSED, conn.StatusConsumer)
		if why == busy && !bytes.HasPrefix(e.Private, []byte("later\x00")) {
			t.Errorf("private data %q", e.Private)
		}
		wantIs(t, <-done, why)
	}
	m.left(1)
}

// TestNobody: what does not answer is named, with the errno or the reason.
func TestNobody(t *testing.T) {
	m := newMachine(t)
	o := m.with("")
	o.Resolve = time.Millisecond
	away := m.first.As4()
	away[3] = 77
	silent := netip.AddrPortFrom(netip.AddrFrom4(away), 4)
	for _, c := range []struct {
		to, op string
		want   error
		status conn.Status
	}{
		{netip.AddrPortFrom(m.first, 4).String(), "connect to", syscall.ECONNREFUSED, conn.StatusInvalidService},
		{silent.String(), "resolve", syscall.ETIMEDOUT, -conn.Status(syscall.ETIMEDOUT)},
		{"192.0.2.1:4", "resolve", syscall.ENETUNREACH, 0},
		{"127.0.0.1:4", "find a route to", syscall.ENODEV, 0},
	} {
		to := netip.MustParseAddrPort(c.to)
		if to.Addr().IsLoopback() && os.Getenv("CARD_WIRE") != "" {
			continue // leads to a device on the emulated card
		}
		_, err := m.Dial(m.ctx, to, o)
		m.failed(err, c.op, to, c.want, c.status)
	}
	_, err := m.Dial(m.ctx, netip.AddrPortFrom(m.first, 1), conn.Options{})
	if err == nil || !strings.Contains(err.Error(), "Options.QP") {
		t.Errorf("without QP: %v", err)
	}
	taken := m.listen(conn.ListenOptions{})
	if _, err = taken.Accept(m.ctx, conn.Options{}); err == nil || !strings.Contains(err.Error(), "Conn.NewEndpoint") {
		t.Errorf("Accept without QP: %v", err)
	}
	_, err = m.Listen(taken.Addr(), conn.ListenOptions{})
	m.failed(err, "listen on", taken.Addr(), syscall.EADDRINUSE, 0)
	m.left(1)
}

// installed is a manager whose errors are explained as those of a library from a file are: by what this computer has.
type installed struct{ *softcm.Manager }

func (installed) Path() string { return "/usr/lib/librdmacm.so.1" }

// TestHints: what does not answer in time is looked for from this computer, whose interfaces have no RDMA device, and then all have one.
// Nothing is said of a software device, nor of a Dial that was given up.
func TestHints(t *testing.T) {
	none, all := t.TempDir(), t.TempDir()
	write := func(file, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := net.Interfaces()
	own, _ := net.InterfaceAddrs()
	_, e := syscall.NetlinkRIB(syscall.RTM_GETROUTE, syscall.AF_INET)
	if errors.Join(err, e) != nil || strings.Contains(fmt.Sprint(own), "10.0.0.") {
		t.Skipf("%v, %v, addresses %v", err, e, own)
	}
	for _, i := range list {
		for _, sysfs := range []string{none, all} {
			write(filepath.Join(sysfs, "class/net", i.Name, "ifindex"), fmt.Sprint(i.Index))
		}
		write(filepath.Join(all, "class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs", fmt.Sprint(i.Index)), i.Name)
	}
	write(filepath.Join(all, "class/infiniband/mlx5_0/ports/1/state"), "4: ACTIVE")

	const without, nowhere = "which no RDMA device has", "no route leads to "
	m := machineOf(t, func(cm *softcm.Manager) rdmacm.Symbols { return installed{cm} }, softcm.Lose(softcm.MessageREQ, 0))
	hints := func(m *machine, ends error) string {
		o, ctx := m.with(""), &ending{m.ctx, make(chan struct{}), nil}
		away := m.first.As4()
		away[3] = 77
		op, addr := "resolve", netip.AddrPortFrom(netip.AddrFrom4(away), 4) // whose event comes soon
		o.Resolve = time.Millisecond
		if ends != nil {
			o.Resolve = 0
			op, addr = "connect to", m.listen(conn.ListenOptions{}).Addr()
			o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
				ctx.err = ends
				close(ctx.done)
				return m.qp(c, attr)
			}
		}
		_, err := m.Dial(ctx, addr, o)
		var e *conn.Error
		if !errors.As(err, &e) || e.Op != op {
			t.Fatal(err)
		}
		return strings.Join(e.Hints, "; or ")
	}
	for _, ends := range []error{nil, context.DeadlineExceeded} {
		t.Setenv("SYSFS_PATH", none)
		got := hints(m, ends)
		if !strings.Contains(got, without) && !strings.HasPrefix(got, nowhere) {
			t.Errorf("%v without a device: %q", ends, got)
		}
		t.Setenv("SYSFS_PATH", all)
		if got := hints(m, ends); strings.Contains(got, without) || strings.Contains(got, "not ACTIVE") {
			t.Errorf("%v with a device: %q", ends, got)
		}
		if got := hints(softMachine(t, softcm.Lose(softcm.MessageREQ, 0)), ends); got != "" {
			t.Errorf("%v of a software device: %q", ends, got)
		}
	}
	t.Setenv("SYSFS_PATH", none)
	if got := hints(m, context.Canceled); got != "" {
		t.Errorf("given up: %q", got)
	}
}

// ending is a context that ends with an error of the test's choice when done is closed.
type ending struct {
	context.Context
	done chan struct{}
	err  error
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error { return e.err }

// TestContext: the end of the context ends a Dial that nobody answers, with its identifier, and an Accept.
func TestContext(t *testing.T) {
	m := softMachine(t, softcm.Lose(softcm.MessageREQ, 0))
	l := m.listen(conn.ListenOptions{})
	ctx, cancel := context.WithCancel(m.ctx)
	o := m.with("")
	o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
		defer time.AfterFunc(time.Millisecond, cancel)
		return m.qp(c, attr)
	}
	_, err := m.Dial(ctx, l.Addr(), o)
	m.failed(err, "connect to", l.Addr(), context.Canceled, 0)
	_, err = l.Accept(ctx, o)
	m.failed(err, "accept on", l.Addr(), context.Canceled, 0)
	_, err = m.Dial(ctx, l.Addr(), o)
	m.failed(err, "dial", l.Addr(), context.Canceled, 0)
	m.left(1)
}

// TestPatience: requests that nobody accepts in time, or for which there is no room, are rejected.
func TestPatience(t *testing.T) {
	m := newMachine(t)
	l := m.listen(conn.ListenOptions{Patience: time.Millisecond})
	_, err := m.Dial(m.ctx, l.Addr(), m.with(""))
	m.failed(err, "connect to", l.Addr(), syscall.ECONNREFUSED, conn.StatusConsumer)

	l = m.listen(conn.ListenOptions{Backlog: 1, Patience: time.Hour})
	ends := make(chan error, 2)
	for range 2 {
		go func() { _, err := m.Dial(m.ctx, l.Addr(), m.with("")); ends <- err }()
	}
	m.failed(<-ends, "connect to", l.Addr(), syscall.ECONNREFUSED, conn.StatusConsumer)
	m.must(l.Close())
	m.failed(<-ends, "connect to", l.Addr(), syscall.ECONNREFUSED, conn.StatusConsumer)
}

// TestGone: a peer that gave up fails one Accept, and leaves nothing.
func TestGone(t *testing.T) {
	m := newMachine(t)
	l := m.listen(conn.ListenOptions{Patience: time.Hour})
	ctx, cancel := context.WithCancel(m.ctx)
	gone := make(chan error)
	go func() { _, err := m.Dial(ctx, l.Addr(), m.with("")); gone <- err }()
	o := m.with("")
	o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
		cancel()
		m.failed(<-gone, "connect to", l.Addr(), context.Canceled, 0)
		return m.qp(c, attr)
	}
	_, err := l.Accept(m.ctx, o)
	var e *conn.Error
	if !errors.As(err, &e) || e.Addr.Addr() != m.first || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a request without a peer: %v", err)
	}
	m.left(1)
	go m.Dial(m.ctx, l.Addr(), m.with(""))
	_, err = l.Accept(m.ctx, m.with(""))
	m.must(err)
}

// TestClose: Close of the network ends what runs, and closes connections and listeners.
func TestClose(t *testing.T) {
	m := newMachine(t)
	l, quiet := m.listen(conn.ListenOptions{}), m.listen(conn.ListenOptions{Patience: time.Hour})
	ends := make(chan error, 2)
	go func() {
		for {
			if _, err := l.Accept(m.ctx, m.with("")); err != nil {
				ends <- err
				return
			}
		}
	}()
	c, err := m.Dial(m.ctx, l.Addr(), m.with(""))
	m.must(err)
	made := make(chan bool)
	go func() {
		o := m.with("")
		o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
			close(made)
			for begun := false; !begun && m.ctx.Err() == nil; time.Sleep(time.Millisecond) {
				_, err := m.Dial(m.ctx, l.Addr(), conn.Options{})
				begun = errors.Is(err, os.ErrClosed)
			}
			qp, err := m.qp(c, attr) // Close waits for it
			if err != nil {
				t.Error(err)
			}
			return qp, err
		}
		_, err := m.Dial(m.ctx, quiet.Addr(), o)
		ends <- err
	}()
	<-made
	m.must(m.Network.Close())
	for range 2 {
		wantIs(t, <-ends, os.ErrClosed)
	}
	if !errors.Is(c.Err(), os.ErrClosed) && !errors.Is(c.Err(), syscall.ECONNRESET) {
		t.Error(c.Err())
	}
	wantIs(t, second(m.Dial(m.ctx, l.Addr(), m.with(""))), os.ErrClosed)
	wantIs(t, m.Network.Close(), os.ErrClosed)
	if m.cm != nil && len(m.cm.Leaks()) > 1 { // the list of devices, until those are closed
		t.Errorf("open: %q", m.cm.Leaks())
	}
}

// TestCallback has Options.QP panic, end its goroutine, and call Close: nothing is left of the connection, and Close works afterwards.
func TestCallback(t *testing.T) {
	m := softMachine(t)
	l := m.listen(conn.ListenOptions{})
	apart := func(call string, f func(context.Context) error) chan bool {
		ended := make(chan bool)
		go func() {
			defer close(ended)
			defer func() { _ = recover() }()
			t.Errorf("%s returned %v", call, f(m.ctx))
		}()
		return ended
	}
	for _, leave := range []func(){runtime.Goexit, func() { panic("out") }} {
		o := m.with("")
		o.QP = func(*conn.Conn, *rdmacm.ConnAttr) (*verbs.QP, error) {
			leave()
			return nil, nil
		}
		<-apart("Dial", func(ctx context.Context) error { return second(m.Dial(ctx, l.Addr(), o)) })
		m.left(1)
		early := m.with("")
		early.Prepare = func(*rdmacm.ID) error {
			leave()
			return nil
		}
		<-apart("Dial", func(ctx context.Context) error { return second(m.Dial(ctx, l.Addr(), early)) })
		m.left(1)
		accepted := apart("Accept", func(ctx context.Context) error { return second(l.Accept(ctx, o)) })
		_, err := m.Dial(m.ctx, l.Addr(), m.with(""))
		m.failed(err, "connect to", l.Addr(), syscall.ECONNREFUSED, conn.StatusConsumer)
		<-accepted
		m.left(1)
	}
	o := m.with("")
	o.Prepare = func(*rdmacm.ID) error { return syscall.EDOM }
	_, err := m.Dial(m.ctx, l.Addr(), o)
	m.failed(err, "prepare to dial", l.Addr(), syscall.EDOM, 0)
	o = m.with("")
	var pd *verbs.PD
	o.QP = func(c *conn.Conn, attr *rdmacm.ConnAttr) (*verbs.QP, error) {
		qp, err := m.qp(c, attr)
		m.must(err)
		pd = qp.PD()
		m.must(qp.Close())
		return nil, syscall.EDOM
	}
	_, err = m.Dial(m.ctx, l.Addr(), o)
	m.failed(err, "make a queue pair for", l.Addr(), syscall.EDOM, 0)
	wantIs(t, pd.Close(), os.ErrClosed)
	o.QP = func(*conn.Conn, *rdmacm.ConnAttr) (*verbs.QP, error) { return nil, m.Network.Close() }
	_, err = m.Dial(m.ctx, l.Addr(), o)
	m.failed(err, "make a queue pair for", l.Addr(), syscall.EBUSY, 0)
	m.must(m.Network.Close())
}

// TestNever uses what was never made.
func TestNever(t *testing.T) {
	m := softMachine(t)
	var n *conn.Network
	var l *conn.Listener
	var c *conn.Conn
	for what, err := range map[string]error{
		"Close of nil": n.Close(), "Close of a listener": l.Close(), "Close of a connection": c.Close(), "Err": c.Err(),
		"Close of a zero value": new(conn.Network).Close(), "of a zero listener": new(conn.Listener).Close(), "of a Conn": new(conn.Conn).Close(),
		"Dial":                   second(n.Dial(m.ctx, m.addr(), conn.Options{})),
		"Dial without a context": second(m.Dial(nil, m.addr(), conn.Options{})), //lint:ignore SA1012 this is the mistake
		"Listen":                 second(n.Listen(m.addr(), conn.ListenOptions{})),
		"Accept":                 second(l.Accept(m.ctx, conn.Options{})),
		"Accept of a zero value": second(new(conn.Listener).Accept(m.ctx, conn.Options{})),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if l.Addr().IsValid() || c.Done() != nil {
		t.Error("what was never made has an address, or ends")
	}
}

func second[T any](_ T, err error) error { return err }

func (m *machine) addr() netip.AddrPort { return netip.AddrPortFrom(m.first, 1) }

// TestRemoval: connections and listeners of a device that goes end.
func TestRemoval(t *testing.T) {
	m := softMachine(t)
	l := m.listen(conn.ListenOptions{})
	ends := make(chan error)
	go func() { _, err := l.Accept(m.ctx, m.with("")); ends <- err }()
	m.must(m.cm.RemoveDevice("soft0"))
	wantIs(t, <-ends, syscall.ENODEV)
}

// TestStatus: the texts of errnos and of reasons.
func TestStatus(t *testing.T) {
	for s, want := range map[conn.Status]string{
		0: "success", -110: "connection timed out", 28: "consumer defined: the program of the peer rejected it (28)", 99: "status 99",
	} {
		if s.String() != want {
			t.Errorf("%d: %v, want %s", int(s), s, want)
		}
	}
}

// closer closes by calling a function.
type closer func() error

func (c closer) Close() error { return c() }

// TestOwn owns what panics when it is closed, calls Close itself, or fails at first: the connection can be closed afterwards.
func TestOwn(t *testing.T) {
	m := softMachine(t)
	peer, c := m.joinedBy(m.with(""), m.with(""))
	var closed []int
	calls := 0
	c.Own(closer(func() error { closed = append(closed, 1); return nil }), closer(func() error {
		switch calls++; calls {
		case 1:
			panic("out")
		case 2:
			return syscall.EDOM
		}
		if err := errors.Join(c.Close(), m.Network.Close()); !errors.Is(err, syscall.EBUSY) || c.Err() == nil {
			t.Errorf("inside: %v", err)
		}
		closed = append(closed, 2)
		return nil
	}))
	func() {
		defer func() { _ = recover() }()
		t.Errorf("the panic is gone: %v", c.Close())
	}()
	wantIs(t, c.Close(), syscall.EDOM)
	if err := c.Close(); err != nil || !slices.Equal(closed, []int{2, 1}) {
		t.Errorf("the third Close: %v, in the order %v", err, closed)
	}
	m.must(peer.Close())
	(*conn.Conn)(nil).Own(c)
}
