package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// TestEnd does all that an end can do over the connection: what goes in comes out, in both directions.
func TestEnd(t *testing.T) {
	s := serve(t, nil)
	p, ctx := dial(t, s.addr), t.Context()
	if p.About() != someone("far") {
		t.Errorf("the far side is %v", p.About())
	}
	s.said(t, "near, rxe0 (rdma_rxe), kernel 6.1.0, rdma-core 44.0")
	for _, kind := range []far.Kind{far.RC, far.UC, far.UD} {
		e, err := p.NewEnd(ctx, kind)
		if err != nil {
			t.Fatal(err)
		}
		mine, _ := s.world.NewEnd(ctx, kind)
		if e.Address() != mine.Address() {
			t.Errorf("address %+v, want %+v", e.Address(), mine.Address())
		}
		_ = mine.Close()
	}
	e := newEnd(t, p)
	to := e.Address()
	to.RKey, to.GID[3] = keyRefuse, 0x33
	says(t, "Connect", e.Connect(ctx, to),
		"connect at the far side: connected to {Kind:RC QPN:11259375 PSN:16702650 QKey:7 GID:[254 128 0 51 0 ")
	if to.RKey = 0; e.Connect(ctx, to) != nil {
		t.Error("Connect failed")
	}
	full := bytes.Repeat([]byte("0123456789abcde\n"), far.MaxData/16)
	for _, c := range []struct {
		op   far.Op
		want far.Result
	}{
		{far.Op{Code: far.Write, Addr: 0, Data: full}, far.Result{}},
		{far.Op{Code: far.Read, Addr: 0, Length: far.MaxData}, far.Result{Data: full}},
		{far.Op{Code: far.Read, Addr: 17, Length: 3}, far.Result{Data: []byte("123")}},
		{far.Op{Code: far.FetchAdd, Addr: 8, Value: 1<<64 - 16}, far.Result{Old: 1<<64 - 8}},
		{far.Op{Code: far.CompareSwap, Addr: 8, Compare: 5, Value: 7}, far.Result{Old: 1<<64 - 2}},
		{far.Op{Code: far.Write, RKey: keyRefuse}, far.Result{Status: 10}},
		{far.Op{Code: far.Send, Data: full, WithImm: true, Imm: 1<<32 - 1}, far.Result{}},
		{far.Op{Code: far.Send}, far.Result{}},
	} {
		if got, err := e.Do(ctx, c.op); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s at %d: status %d, %d bytes, old %#x, %v", c.op.Code, c.op.Addr, got.Status, len(got.Data), got.Old, err)
		}
	}
	receives(t, e, full)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	says(t, "a closed end", e.Store(ctx, 0, nil), "store at the far side: store: there is no end 4")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	s.said(t, "the session is over; it had 4 ends")
	if ends, shut := s.world.left(); ends != 0 || shut != 1 {
		t.Errorf("%d ends are open, %d makers closed", ends, shut)
	}
}

// receives takes the two messages that the end has sent itself, and uses its window.
func receives(t *testing.T, e far.End, full []byte) {
	t.Helper()
	ctx := t.Context()
	for range 2 {
		if err := e.PostRecv(ctx, far.MaxData); err != nil {
			t.Error(err)
		}
	}
	if r, err := e.WaitRecv(ctx); err != nil || !bytes.Equal(r.Data, full) || !r.WithImm || r.Imm != 1<<32-1 || len(r.GRH) != 40 ||
		r.SrcQP != 1<<24-1 {
		t.Errorf("%d bytes, %v", len(r.Data), err)
	}
	if r, err := e.WaitRecv(ctx); err != nil || len(r.Data) != 0 || r.WithImm {
		t.Errorf("%+v, %v", r, err)
	}
	if err := e.Store(ctx, 100, []byte("stored")); err != nil {
		t.Error(err)
	}
	if b, err := e.Load(ctx, 99, 8); err != nil || string(b) != "3storeda" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestErrors has errors of the far side arrive as what they are, and the session go on.
func TestErrors(t *testing.T) {
	s := serve(t, nil)
	e := newEnd(t, dial(t, s.addr))
	for key, want := range map[uint32]error{keyNoWay: far.ErrNoWay, keyNotHad: errors.ErrUnsupported} {
		_, err := e.Do(t.Context(), far.Op{Code: far.Write, RKey: key})
		for _, other := range []error{far.ErrNoWay, errors.ErrUnsupported, context.DeadlineExceeded} {
			if errors.Is(err, other) != (other == want) {
				t.Errorf("%v is %v: %t", err, other, other != want)
			}
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := e.Do(short, far.Op{Code: far.Write, RKey: keyWaits})
	says(t, "a wait", err, "do at the far side: no completion")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is no deadline", err)
	}
	if _, err := e.WaitRecv(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that is over: %v", err)
	}
	if err := e.Store(t.Context(), 0, nil); err != nil {
		t.Errorf("after the errors: %v", err)
	}
}

// TestCancel cancels a call: it ends at once, and its session too.
func TestCancel(t *testing.T) {
	s := serve(t, nil)
	p := dial(t, s.addr)
	e := newEnd(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel) // most likely the far side has it by then
	if _, err := e.Do(ctx, far.Op{Code: far.Write, RKey: keyWaits}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	says(t, "its end", e.Store(t.Context(), 0, nil), "store: its session is over: do: the session with the far side at 127.0.0.1:")
	if err := e.Close(); err != nil {
		t.Errorf("closing an end whose session is over: %v", err)
	}
}

// TestLimitsOfPage has docs/two-machines.md name the limits that there are.
func TestLimitsOfPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/two-machines.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	times := defaultTimes
	for _, want := range []string{
		fmt.Sprintf("A session has at most %d queue pairs and %d receives, of at most %d KiB each", maxEnds, maxReceives, far.MaxData>>10),
		fmt.Sprintf("A message has at most %d KiB", maxMessage>>10+1),
		fmt.Sprintf("The secret has %d to %d bytes", minSecret, maxSecret),
		fmt.Sprintf("| the TLS handshake; the header of a request, on the listening side | %.0f s |", times.Greeting.Seconds()),
		fmt.Sprintf("| a whole request, on the listening side; connecting | %.0f s |", times.Step.Seconds()),
		fmt.Sprintf("| an operation of the listening side's device | %.0f s,", times.Operation.Seconds()),
		fmt.Sprintf("| the answer to it | %.0f s more |", 2*times.Grace.Seconds()),
		fmt.Sprintf("keepalive every %.0f s) | %.0f s |", times.Ping.Seconds(), times.Silence.Seconds()),
		fmt.Sprintf("the suite tries for %.0f s to connect again", times.Again.Seconds()),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

// TestLimits asks for more than a session may have: it is refused, and the session goes on.
func TestLimits(t *testing.T) {
	s := serve(t, nil)
	p, ctx := dial(t, s.addr), t.Context()
	var ends []far.End
	for range maxEnds {
		ends = append(ends, newEnd(t, p))
	}
	_, err := p.NewEnd(ctx, far.RC)
	says(t, "one end more", err, "new at the far side: 64 ends are open; a session may have no more")
	if err := ends[3].Close(); err != nil {
		t.Error(err)
	}
	e := newEnd(t, p)
	for range maxReceives {
		if err := e.PostRecv(ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	says(t, "one receive more", ends[5].PostRecv(ctx, 1), "64 receives are posted; a session may have no more")
	if _, err := e.Do(ctx, far.Op{Code: far.Send}); err != nil {
		t.Error(err)
	}
	if _, err := e.WaitRecv(ctx); err != nil {
		t.Error(err)
	}
	if err := ends[5].PostRecv(ctx, 1); err != nil {
		t.Errorf("after a receive completed: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	says(t, "a receive that the device refuses", ends[6].PostRecv(ctx, sizeRefused), "post-recv at the far side: no room for it")
	for range maxReceives - 1 {
		if err := ends[6].PostRecv(ctx, far.MaxData); err != nil {
			t.Fatalf("after the end was closed: %v", err)
		}
	}
	s.stop()
	if err := s.ended(t); err != nil {
		t.Error(err)
	}
}
