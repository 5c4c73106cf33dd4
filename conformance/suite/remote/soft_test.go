//go:build linux && cgo

package remote

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestQueuePairs connects a queue pair of this side with one that is made over the connection, both on one device made of
// software, and has them use each other's memory.
func TestQueuePairs(t *testing.T) {
	soft := softverbs.New(softverbs.Name("soft0"))
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	open := func() (far.Maker, error) { return far.Local(lib, "soft0", 1, far.AnyGID) }
	near, err := open()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(s *Server) { s.Open = open })
	p, ctx := dial(t, s.addr), t.Context()
	for _, kind := range []far.Kind{far.RC, far.UC, far.UD} {
		there, err := p.NewEnd(ctx, kind)
		if err != nil {
			t.Fatal(err)
		}
		here, err := near.NewEnd(ctx, kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(here.Connect(ctx, there.Address()), there.Connect(ctx, here.Address())); err != nil {
			t.Fatal(err)
		}
		if err := here.PostRecv(ctx, 64); err != nil {
			t.Fatal(err)
		}
		if r, err := there.Do(ctx, far.Op{Code: far.Send, Data: []byte("a message"), WithImm: true, Imm: 77}); err != nil || r.Status != 0 {
			t.Fatalf("%s: %+v, %v", kind, r, err)
		}
		got, err := here.WaitRecv(ctx)
		if err != nil || string(got.Data) != "a message" || got.Imm != 77 {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
		if kind == far.RC {
			memory(t, here, there)
		}
	}
	there, err := p.NewEnd(ctx, far.RC)
	if err != nil {
		t.Fatal(err)
	}
	if err := there.Connect(ctx, there.Address()); err != nil {
		t.Fatal(err)
	}
	if err := near.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	s.free(t)
	if left := soft.Leaks(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// memory has an end over there operate on the window of one here.
func memory(t *testing.T, here, there far.End) {
	t.Helper()
	ctx, a := t.Context(), here.Address()
	data := bytes.Repeat([]byte{1, 2, 3, 5}, far.MaxData/4)
	for _, c := range []struct {
		op   far.Op
		want far.Result
	}{
		{far.Op{Code: far.Write, RKey: a.RKey, Addr: a.Base, Data: data}, far.Result{}},
		{far.Op{Code: far.Read, RKey: a.RKey, Addr: a.Base + 2, Length: 4}, far.Result{Data: []byte{3, 5, 1, 2}}},
		{far.Op{Code: far.FetchAdd, RKey: a.RKey, Addr: a.Base, Value: 1}, far.Result{Old: 0x0503020105030201}},
		{far.Op{Code: far.CompareSwap, RKey: a.RKey, Addr: a.Base, Compare: 0x0503020105030202, Value: 0}, far.Result{Old: 0x0503020105030202}},
		{far.Op{Code: far.Write, RKey: a.RKey, Addr: a.Base - 1, Data: data[:1]}, far.Result{Status: int(softverbs.StatusRemAccess)}},
	} {
		if got, err := there.Do(ctx, c.op); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.op.Code, got, err, c.want)
		}
	}
	if b, err := here.Load(ctx, 0, 12); err != nil || !bytes.Equal(b, []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5}) {
		t.Errorf("%x, %v", b, err)
	}
}
