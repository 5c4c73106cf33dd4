//go:build linux && cgo

package endpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const size = 64

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func second[T any](_ T, err error) error { return err }

// both is for endpoints that the peer may read and write, and that drop what they receive.
func both() endpoint.Config {
	return endpoint.Config{Sends: 4, SendSize: size, Recvs: 4, RecvSize: size, Handle: func(*endpoint.Endpoint, verbs.WC) {},
		Access: verbs.MRAccessRemoteRead | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteAtomic}
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func closed(t *testing.T, ends ...*endpoint.Endpoint) {
	t.Cleanup(func() {
		for _, e := range ends {
			if err := e.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
		}
	})
}

func newEnd(t *testing.T, dev *verbs.Device, c endpoint.Config) *endpoint.Endpoint {
	t.Helper()
	e, err := endpoint.New(dev, c)
	check(t, err)
	closed(t, e)
	return e
}

// pair makes two connected endpoints. Requests to a peer that is gone fail after some milliseconds.
func pair(t *testing.T, dev *verbs.Device, left, right endpoint.Config) (a, b *endpoint.Endpoint) {
	t.Helper()
	a, b, err := endpoint.Pair(bounded(t), dev, left, right, connect.Options{Setup: quick()})
	check(t, err)
	closed(t, a, b)
	return a, b
}

func quick() *verbs.RCSetup {
	s := connect.DefaultSetup()
	s.RetryCnt = 6
	if os.Getenv("VERBS_DEVICE") == "" {
		s.Timeout, s.RetryCnt, s.MinRNRTimer = 8, 2, 1
	}
	return &s
}

func slot(t *testing.T, e *endpoint.Endpoint) endpoint.Slot {
	t.Helper()
	s, err := e.Slot(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOperations has a slot make each operation.
func TestOperations(t *testing.T) {
	got := make(chan verbs.WC, 4)
	right := both()
	right.Handle = func(_ *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil {
			got <- wc
		}
	}
	a, b := pair(t, verbstest.Device(t), both(), right)
	ctx := bounded(t)
	remote, key, err := b.MR.Remote()
	check(t, err)
	remote += 4 * size // its first slot
	mem := b.Mem[4*size:]
	s := slot(t, a)
	do := func() {
		t.Helper()
		if _, err := s.Do(ctx); err != nil {
			t.Fatal(err)
		}
	}
	copy(s.Bytes(), "hello")
	s.Send(5)
	do()
	wc := <-got
	if text := b.Recv(int(wc.ID))[:wc.ByteLen]; string(text) != "hello" || wc.ID != 0 {
		t.Errorf("receive %d got %q", wc.ID, text)
	}
	check(t, b.Repost(int(wc.ID)))
	s.SendImm(0, 7)
	do()
	s.WriteImm(5, remote, key, 8)
	do()
	for i := uint32(7); i < 9; i++ {
		if wc := <-got; wc.ImmData != i {
			t.Errorf("immediate %d, want %d", wc.ImmData, i)
		}
	}
	s.Write(4, remote+8, key)
	do()
	if !bytes.HasPrefix(mem, []byte("hello\x00\x00\x00hell\x00")) {
		t.Errorf("written: %q", mem[:16])
	}
	s.Read(2, remote+10, key)
	do()
	if string(s.Bytes()[:5]) != "llllo" {
		t.Errorf("read: %q", s.Bytes()[:5])
	}
	clear(mem)
	s.FetchAdd(remote, key, 5)
	do()
	s.CompareSwap(remote, key, 5, 9)
	do()
	if s.Bytes()[0]+s.Bytes()[7] != 5 || mem[0]+mem[7] != 9 {
		t.Errorf("atomics: %v, %v", s.Bytes()[:8], mem[:8])
	}
	s.Free()
}

// failing are the verbs that New and Connect call.
var failing = []string{"ibv_alloc_pd", "ibv_create_comp_channel", "ibv_create_cq", "ibv_reg_mr", "ibv_create_qp", "ibv_modify_qp",
	"ibv_post_recv", "ibv_query_port"}

// TestFailing has each step of the construction and of the connection fail, as often as it is made. Leaks fails the test.
func TestFailing(t *testing.T) {
	for _, verb := range failing {
		for nth := uint64(1); nth <= 2; nth++ {
			t.Run(fmt.Sprint(verb, nth), func(t *testing.T) {
				soft, dev := verbstest.Open(t)
				check(t, soft.Fail(verb, nth, syscall.ENOMEM))
				a, b, err := endpoint.Pair(bounded(t), dev, both(), both(), connect.Options{})
				if !errors.Is(err, syscall.ENOMEM) || a != nil || b != nil {
					t.Errorf("%v, %v, %v", a, b, err)
				}
			})
		}
	}
}

// TestCreateQP has the function that makes the queue pair fail, panic, and return nothing; the endpoint leaves nothing.
func TestCreateQP(t *testing.T) {
	_, dev := verbstest.Open(t)
	mine := errors.New("mine")
	for _, f := range []func() error{func() error { return mine }, func() error { return nil }, func() error { panic(mine) }} {
		c := both()
		c.CreateQP = func(*endpoint.Endpoint, verbs.QPInitAttr) (*verbs.QP, error) { return nil, f() }
		func() {
			defer func() { _ = recover() }()
			if _, err := endpoint.New(dev, c); err == nil || f() != nil && !errors.Is(err, mine) {
				t.Error(err)
			}
		}()
	}
}

// TestLate ends the context of a wait. The slot is nobody's until its request has completed, and then comes back.
func TestLate(t *testing.T) {
	soft, dev := verbstest.Open(t)
	c := both()
	c.Sends = 1
	a, b := pair(t, dev, c, both())
	check(t, soft.HoldCompletions("soft0", a.QP.Num(), true))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s := slot(t, a)
	s.Write(5, b.MR.IOVA(), b.MR.RKey())
	if _, err := s.Do(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("Do: %v", err)
	}
	if _, err := s.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("a second wait: %v", err)
	}
	s.Free()
	s.Free() // does nothing
	soon, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	wantIs(t, second(a.Slot(soon)), context.DeadlineExceeded)
	check(t, soft.HoldCompletions("soft0", a.QP.Num(), false))
	again := slot(t, a)
	if _, err := s.Wait(t.Context()); err != endpoint.ErrFreed {
		t.Errorf("Wait of a freed slot: %v", err)
	}
	s.Free() // of the slot as it was
	again.Write(5, b.MR.IOVA(), b.MR.RKey())
	if _, err := again.Do(bounded(t)); err != nil {
		t.Error(err)
	}
}

// TestPostFunc posts a chain of requests from the function for the completion, and then the slot is free.
func TestPostFunc(t *testing.T) {
	c := both()
	c.Sends = 1
	a, b := pair(t, verbstest.Device(t), c, both())
	left := 100
	ended := make(chan error, 1)
	var next func(s endpoint.Slot, wc verbs.WC)
	post := func(s endpoint.Slot) error {
		s.Write(size, b.MR.IOVA(), b.MR.RKey())
		return s.PostFunc(next)
	}
	next = func(s endpoint.Slot, wc verbs.WC) {
		err := wc.Err()
		if left--; left > 0 && err == nil {
			err = post(s)
		}
		if left == 0 || err != nil {
			ended <- err
		}
	}
	s := slot(t, a)
	check(t, post(s))
	s.Free() // not this one's any more
	check(t, <-ended)
	again := slot(t, a)
	again.Write(size, b.MR.IOVA(), b.MR.RKey())
	if _, err := again.Do(bounded(t)); err != nil {
		t.Error(err)
	}
}

// TestPeer ends the peer in several ways. A slot that waits, one that is asked for, and Done learn of it.
func TestPeer(t *testing.T) {
	for name, kill := range map[string]func(soft *softverbs.Device, b *endpoint.Endpoint) error{
		"stream": func(_ *softverbs.Device, b *endpoint.Endpoint) error { return b.Close() },
		"queue pair": func(_ *softverbs.Device, b *endpoint.Endpoint) error { // the process hangs: the stream stays open
			return b.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr))
		},
		"cable": func(soft *softverbs.Device, _ *endpoint.Endpoint) error { return soft.SetPort("soft1", 1, false) },
		"card":  func(soft *softverbs.Device, _ *endpoint.Endpoint) error { return soft.TakeAway("soft1") },
	} {
		t.Run(name, func(t *testing.T) {
			soft, dev := verbstest.Open(t, softverbs.AnotherDevice("soft1"))
			other, err := dev.Lib().OpenDevice("soft1")
			check(t, err)
			t.Cleanup(func() { other.CloseAll() })
			c := both()
			on := c
			on.PD, err = other.AllocPD()
			check(t, err)
			a, b := pair(t, dev, c, on)
			asks := make(chan error, 1)
			asked := make(chan bool, 1)
			go func() { // whether the peer lives
				for {
					s, err := a.Slot(t.Context())
					if err == nil {
						s.Write(0, 0, 0)
						_, err = s.Do(t.Context())
						s.Free()
					}
					if err != nil {
						asks <- err
						return
					}
					select {
					case asked <- true:
					default:
					}
				}
			}()
			<-asked
			check(t, a.Err())
			check(t, kill(soft, b))
			select {
			case <-a.Done():
			case <-bounded(t).Done():
				t.Fatal("nothing was noticed")
			}
			wantIs(t, <-asks, syscall.ECONNRESET)
			wantIs(t, a.Err(), syscall.ECONNRESET)
			s, err := a.Slot(bounded(t))
			if err == nil { // slots that are free are given
				s.Send(1)
				_, err = s.Do(bounded(t))
			}
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("Slot and Do: %v", err)
			}
		})
	}
}

// TestRequest has a request of the program fail: who waits for another one learns why.
func TestRequest(t *testing.T) {
	a, b := pair(t, verbstest.Device(t), both(), both())
	good, bad := slot(t, a), slot(t, a)
	bad.Write(5, b.MR.IOVA(), b.MR.RKey()^1)
	good.Write(5, b.MR.IOVA(), b.MR.RKey())
	check(t, bad.Post())
	_, _ = good.Do(bounded(t))
	wc, err := bad.Wait(bounded(t))
	if wc.Status != verbs.WCStatusRemAccessErr || !errors.Is(err, syscall.ECONNRESET) ||
		!strings.Contains(fmt.Sprint(a.Err()), "the request of slot 1 of queue pair 0x") {
		t.Errorf("%v, %v, %v", wc.Status, err, a.Err())
	}
	var failed *verbs.WCError
	if !errors.As(a.Err(), &failed) || failed.ID != wc.ID || failed.Status != wc.Status {
		t.Errorf("the error of the completion is %+v", failed)
	}
}

// TestRemoved posts to a device that was taken away: the endpoint has ended, also if nobody passes the event.
func TestRemoved(t *testing.T) {
	soft, dev := verbstest.Open(t)
	a, _ := pair(t, dev, both(), both())
	s := slot(t, a)
	s.Send(1)
	check(t, soft.TakeAway("soft0"))
	if _, err := s.Do(bounded(t)); !errors.Is(err, syscall.ECONNRESET) || !errors.Is(err, verbs.ErrDeviceRemoved) {
		t.Error(err)
	}
	<-a.Done()
}

// TestFail has the program end an endpoint, whose request waits for a receive of the peer: the wait ends, also if the device does not
// flush the request.
func TestFail(t *testing.T) {
	for _, flushed := range []bool{true, false} {
		soft, dev := verbstest.Open(t, softverbs.LikeMLX5()) // where requests wait
		deaf := both()
		deaf.Recvs = 0
		a, _ := pair(t, dev, both(), deaf)
		s := posted(t, a)
		if !flushed {
			check(t, soft.Fail("ibv_modify_qp", 1, syscall.EIO))
		}
		mine := errors.New("mine")
		a.Fail(mine)
		a.Fail(errors.New("another one"))
		wc, err := s.Wait(bounded(t))
		if !errors.Is(err, mine) || !errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "another") ||
			(wc.Status == verbs.WCStatusWRFlushErr) != flushed {
			t.Errorf("flushed %t: %v, %v", flushed, wc.Status, err)
		}
	}
}

// looks is an object that belongs to a queue pair.
type looks struct{ close func() error }

func (l looks) Close() error { return l.close() }

// TestOwn has the endpoint own objects: what was made with the queue pair is closed before it, and after Close all are closed at once.
func TestOwn(t *testing.T) {
	_, dev := verbstest.Open(t)
	var order []string
	c := both()
	c.CreateQP = func(e *endpoint.Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error) {
		qp, err := e.PD.CreateQP(attr)
		if err != nil {
			return nil, err
		}
		return qp, e.Own(looks{func() error {
			order = append(order, "first")
			if _, _, err := qp.Query(verbs.QPFieldState); err != nil {
				t.Error(err)
			}
			return nil
		}})
	}
	e := newEnd(t, dev, c)
	mr, err := e.PD.RegMR(make([]byte, 8), 0)
	check(t, err)
	check(t, e.Own(mr, looks{func() error { order = append(order, "second"); return nil }}))
	check(t, e.Close())
	late := false
	if err := e.Own(looks{func() error { late = true; return nil }}); !errors.Is(err, os.ErrClosed) || !late {
		t.Errorf("Own after Close: %v", err)
	}
	if fmt.Sprint(order) != "[second first]" {
		t.Error(order)
	}
}

// TestClose closes an endpoint from another goroutine while slots are waited for and asked for.
func TestClose(t *testing.T) {
	soft, dev := verbstest.Open(t)
	a, _ := pair(t, dev, both(), both())
	check(t, soft.HoldCompletions("soft0", a.QP.Num(), true))
	var all sync.WaitGroup
	for range 8 { // of 4 slots
		all.Go(func() {
			s, err := a.Slot(t.Context())
			if err == nil {
				s.Send(1)
				_, err = s.Do(t.Context())
			}
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("error %v", err)
			}
		})
	}
	time.Sleep(10 * time.Millisecond)
	check(t, a.Close())
	all.Wait()
	if err := a.Close(); !errors.Is(err, os.ErrClosed) || !errors.Is(a.Err(), os.ErrClosed) {
		t.Errorf("a second Close: %v, %v", err, a.Err())
	}
}

// TestCloseAgain has Close fail while the program uses the domain: it names what is open, and works later.
func TestCloseAgain(t *testing.T) {
	_, dev := verbstest.Open(t)
	e := newEnd(t, dev, both())
	mr, err := e.PD.RegMR(make([]byte, 8), 0)
	check(t, err)
	if err := e.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR") {
		t.Errorf("Close: %v", err)
	}
	check(t, mr.Close())
	check(t, e.Close())
}

// TestAllocs counts what a request allocates, with a slot that is waited for, and with one whose completion calls a function.
func TestAllocs(t *testing.T) {
	handled := make(chan bool, 1)
	right := both()
	right.Handle = func(e *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil && e.Repost(int(wc.ID)) == nil {
			handled <- true
		}
	}
	a, b := pair(t, verbstest.Device(t), both(), right)
	ctx := bounded(t)
	came := make(chan error, 1)
	then := func(_ endpoint.Slot, wc verbs.WC) { came <- wc.Err() }
	once := func() {
		s, err := a.Slot(ctx)
		if err == nil {
			s.Send(size)
			_, err = s.Do(ctx)
		}
		<-handled
		s.Write(size, b.MR.IOVA(), b.MR.RKey())
		if err = errors.Join(err, s.PostFunc(then), <-came); err != nil {
			t.Fatal(err)
		}
		s.Free()
	}
	for range 10 { // all slots have been used
		once()
	}
	allocs.None(t, "two requests", once)
}

// TestRefused passes what cannot be used, and makes mistakes with slots.
func TestRefused(t *testing.T) {
	_, dev := verbstest.Open(t)
	cq, err := dev.CreateCQ(8, nil, 0)
	check(t, err)
	t.Cleanup(func() { cq.Close() })
	for want, c := range map[string]endpoint.Config{
		"Sends and Recvs": {Sends: -1}, "RecvSize": {RecvSize: 1 << 31}, "Inline": {Inline: -1}, "SRQ": {SRQ: new(verbs.SRQ), Recvs: 1},
		"SRQ needs a RecvCQ": {SRQ: new(verbs.SRQ)},
	} {
		if _, err := endpoint.New(dev, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	deaf := both()
	deaf.Handle = nil
	s := slot(t, newEnd(t, dev, deaf))
	s.Send(0)
	if err := s.Post(); err == nil || !strings.Contains(err.Error(), "Config.Handle") {
		t.Error(err)
	}
	own := newEnd(t, dev, endpoint.Config{RecvCQ: cq, Recvs: 1, Sends: 1, SendSize: 7})
	s = slot(t, own)
	for want, begin := range map[string]func() error{
		"no request":               func() error { return nil },
		"8 bytes, and a slot of 7": func() error { s.Send(8); return nil },
		"-1 bytes":                 func() error { s.Read(-1, 0, 0); return nil },
		"of 8 bytes":               func() error { s.FetchAdd(0, 0, 1); return nil },
		"a slot of 7":              func() error { s.CompareSwap(0, 0, 1, 2); return nil },
	} {
		check(t, begin())
		if err := s.Post(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		s.Free()
		s = slot(t, own)
	}
	s.Send(7)
	s.Free()
	s = slot(t, own)
	if err := s.Post(); err == nil || !strings.Contains(err.Error(), "no request") {
		t.Errorf("the request of an earlier owner: %v", err)
	}
	if _, err := s.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing to wait for") {
		t.Error(err)
	}
	s.Free()
	for name, misuse := range map[string]func(){
		"freed": func() { s.Send(0) }, "zero": func() { endpoint.Slot{}.Bytes() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
	var none endpoint.Slot
	none.Free()
	var zero endpoint.Endpoint
	for _, e := range []*endpoint.Endpoint{nil, &zero} {
		_, slotErr := e.Slot(t.Context())
		_, connectErr := e.Connect(t.Context(), nil, connect.Options{})
		near, far := net.Pipe()
		_, err := e.Connect(t.Context(), near, connect.Options{})
		if _, read := far.Read(make([]byte, 1)); err == nil || read != io.EOF {
			t.Errorf("Connect: %v, and the stream: %v", err, read)
		}
		for _, err := range []error{e.Close(), e.Err(), e.Own(), slotErr, connectErr, e.PostRecvs(), e.Repost(0), none.Post()} {
			if err == nil {
				t.Error("a call of an endpoint that was never made succeeds")
			}
		}
		e.Fail(err)
	}
	_, _, err = endpoint.Pair(bounded(t), dev, endpoint.Config{Type: verbs.QPTypeUD}, endpoint.Config{}, connect.Options{})
	if err == nil || !strings.Contains(err.Error(), "connect.UD") {
		t.Error(err)
	}
}

// TestPairDown connects two endpoints whose port is down: both fail for the same reason, which is said once.
func TestPairDown(t *testing.T) {
	soft, dev := verbstest.Open(t)
	check(t, soft.SetPort("soft0", 1, false))
	_, _, err := endpoint.Pair(bounded(t), dev, endpoint.Config{}, endpoint.Config{}, connect.Options{})
	if text := fmt.Sprint(err); strings.Count(text, "port 1 is DOWN") != 1 {
		t.Error(text)
	}
}

// TestThousand has 1,000 endpoints, or 200 with -short, whose peers die: each notices, and nothing is left.
func TestThousand(t *testing.T) {
	all := 1000
	if testing.Short() {
		all = 200
	}
	before := runtime.NumGoroutine()
	_, dev := verbstest.Open(t)
	channel, err := dev.CreateCompChannel()
	check(t, err)
	c := both()
	c.Channel = channel
	var ends [][2]*endpoint.Endpoint
	for range all {
		a, b, err := endpoint.Pair(bounded(t), dev, c, c, connect.Options{Setup: quick()})
		check(t, err)
		ends = append(ends, [2]*endpoint.Endpoint{a, b})
	}
	var working sync.WaitGroup
	for i, p := range ends {
		a, b := p[0], p[1]
		working.Go(func() {
			for err := error(nil); err == nil; {
				var s endpoint.Slot
				if s, err = a.Slot(t.Context()); err == nil {
					s.Write(size, b.MR.IOVA(), b.MR.RKey())
					_, err = s.Do(t.Context())
					s.Free()
				}
				if err != nil && !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("endpoint %d: %v", i, err)
				}
			}
			if err := a.Close(); err != nil {
				t.Errorf("endpoint %d: %v", i, err)
			}
		})
	}
	for _, p := range ends {
		check(t, p[1].Close())
	}
	working.Wait()
	check(t, channel.Close())
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestTCP connects over TCP, where the end of the stream is an error of another kind.
func TestTCP(t *testing.T) {
	_, dev := verbstest.Open(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	a, b := newEnd(t, dev, both()), newEnd(t, dev, both())
	accepted := make(chan error)
	go func() {
		side, err := l.Accept()
		if err == nil {
			_, err = b.Connect(t.Context(), side, connect.Options{Data: []byte("data")})
		}
		accepted <- err
	}()
	side, err := net.Dial("tcp", l.Addr().String())
	check(t, err)
	peer, err := a.Connect(bounded(t), side, connect.Options{})
	check(t, errors.Join(err, <-accepted))
	if string(peer.Data) != "data" {
		t.Errorf("%q", peer.Data)
	}
	check(t, b.Close())
	<-a.Done()
	side.Close() // also by the program
	check(t, a.Close())
}
