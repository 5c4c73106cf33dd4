//go:build linux && cgo

package far

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// ends returns two connected ends, each with a context of its own on a software device.
func ends(t *testing.T, kind Kind) (a, b End) {
	t.Helper()
	soft := softverbs.New()
	t.Cleanup(func() {
		if left := soft.Leaks(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		soft.Close()
	})
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	var list []End
	for range 2 {
		m, err := Local(lib, "soft0", 1, AnyGID)
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.NewEnd(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(e.Close(), m.Close(), e.Close()); err != nil { // in any order, and twice
				t.Error(err)
			}
		})
		list = append(list, e)
	}
	if err := errors.Join(list[0].Connect(t.Context(), list[1].Address()), list[1].Connect(t.Context(), list[0].Address())); err != nil {
		t.Fatal(err)
	}
	return list[0], list[1]
}

// TestMessages sends from each kind of end.
func TestMessages(t *testing.T) {
	for _, kind := range []Kind{RC, UC, UD} {
		t.Run(string(kind), func(t *testing.T) {
			a, b := ends(t, kind)
			for i, op := range []Op{{Code: Send, Data: []byte("hello")}, {Code: Send, WithImm: true, Imm: 5, Solicited: true}} {
				if err := b.PostRecv(t.Context(), 64); err != nil {
					t.Fatal(err)
				}
				if r, err := a.Do(t.Context(), op); err != nil || r.Status != 0 {
					t.Fatalf("message %d: status %d, %v", i, r.Status, err)
				}
				r, err := b.WaitRecv(t.Context())
				if err != nil || r.Status != 0 || !bytes.Equal(r.Data, op.Data) || r.WithImm != op.WithImm || r.Imm != op.Imm {
					t.Errorf("message %d: %+v, %v", i, r, err)
				}
				if kind == UD && (len(r.GRH) != 40 || r.SrcQP != a.Address().QPN) {
					t.Errorf("message %d: %+v", i, r)
				}
			}
			if left := len(b.(*end).rooms); left > 0 {
				t.Errorf("the memory of %d receives is kept", left)
			}
			if kind != RC {
				return
			}
			if err := b.PostRecv(t.Context(), 4); err != nil {
				t.Fatal(err)
			}
			if r, err := a.Do(t.Context(), Op{Code: Send, Data: []byte("hello")}); err != nil || r.Status == 0 {
				t.Errorf("a message that is too long: %+v, %v", r, err)
			}
			if r, err := b.WaitRecv(t.Context()); err != nil || r.Status == 0 || len(r.Data) > 0 {
				t.Errorf("a message that is too long was received: %+v, %v", r, err)
			}
		})
	}
}

// TestBad hands over what an end cannot do: an error each time, and none that waits.
func TestBad(t *testing.T) {
	a, b := ends(t, RC)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{
		"no such operation": func() error { _, err := a.Do(t.Context(), Op{Code: "dance"}); return err }(),
		"too long":          func() error { _, err := a.Do(t.Context(), Op{Code: Send, Data: make([]byte, MaxData+1)}); return err }(),
		"negative":          func() error { _, err := a.Do(t.Context(), Op{Code: Read, Length: -1}); return err }(),
		"beyond the window": func() error { _, err := a.Load(t.Context(), WindowSize-1, 2); return err }(),
		"before the window": a.Store(t.Context(), -1, []byte("x")),
		"too much room":     b.PostRecv(t.Context(), MaxData+1),
		"no message":        func() error { _, err := b.WaitRecv(short); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if (name == "no message") != errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := a.Connect(t.Context(), Address{Kind: UD}); err == nil || !strings.Contains(err.Error(), "UD") {
		t.Errorf("connected to another kind: %v", err)
	}
}

// TestPort asks for ports and entries that are not there, or down.
func TestPort(t *testing.T) {
	soft := softverbs.New(softverbs.Ports(2))
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	if err := soft.SetPort("soft0", 2, false); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		device string
		port   uint8
		index  int
		noWay  bool
	}{"no device": {"soft9", 1, AnyGID, false}, "no port": {"soft0", 3, AnyGID, false}, "a port that is down": {"soft0", 2, AnyGID, true},
		"no entry": {"soft0", 1, 200, true}} {
		m, err := Local(lib, c.device, c.port, c.index)
		if err == nil {
			t.Errorf("%s is opened", name)
			m.Close()
		}
		if errors.Is(err, ErrNoWay) != c.noWay {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := Local(lib, "soft0", 1, 1) // the IPv4 address
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.NewEnd(t.Context(), "XRC"); err == nil || !strings.Contains(err.Error(), "XRC") {
		t.Errorf("an end of no kind: %v", err)
	}
	e, err := m.NewEnd(t.Context(), UD)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Address{{MTU: 1}, {QPN: 1 << 24, MTU: 1}, {QPN: 1, PSN: 1 << 24, MTU: 1}, {QPN: 1}, {QPN: 1, MTU: 6}} {
		bad.Kind, bad.GID = UD, e.Address().GID
		if err := e.Connect(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "no queue pair has the number") {
			t.Errorf("connected to %+v: %v", bad, err)
		}
	}
	if gid := e.Address().GID; gid[10] != 0xff || e.Address().MTU == 0 {
		t.Errorf("%+v", e.Address())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestSpeaks refuses devices of other transports, and looks at the device that was asked for alone.
func TestSpeaks(t *testing.T) {
	list := []verbs.DeviceEntry{{Name: "a", Transport: verbs.TransportTypeIWARP}, {Name: "b", Transport: verbs.TransportTypeIB},
		{Name: "c", Transport: verbs.TransportTypeUnspecified}}
	for name, noWay := range map[string]bool{"a": true, "b": false, "c": true, "no such device": false} {
		if err := speaks(list, name); errors.Is(err, ErrNoWay) != noWay || (err != nil) != noWay {
			t.Errorf("%s: %v", name, err)
		}
	}
}
