//go:build linux && cgo

package dpath_test

import (
	"runtime"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// TestCopiedRequest writes by a copy of a request to the request itself, also after its batch was collected: nothing else changes.
func TestCopiedRequest(t *testing.T) {
	send, recv := sendBatch(t, 16, 4), recvBatch(t, 16, 4)
	ops, err := dpath.NewOpsBatch(16, 4)
	check(t, err)
	w, r, o := send.WR(0), recv.WR(0), ops.WR(0)
	w.Send(1).SGE(1, 2, 3)
	if s := send.WR(0).SGEs(); len(s) != 1 || s[0] != (dpath.SGE{Addr: 1, Length: 2, LKey: 3}) {
		t.Errorf("the request has %v, and its copy %v", s, w.SGEs())
	}
	send, recv, ops = nil, nil, nil
	for range 3 {
		runtime.GC()
	}
	var others [][]byte
	for range 64 {
		for n := range 8 {
			others = append(others, make([]byte, 1<<11+n<<8))
		}
	}
	const all = 1<<32 - 1
	w.Send(1).SGE(1<<64-1, all, all)
	r.Recv(1).SGE(1<<64-1, all, all)
	o.Add(1, 1, 1, 1).SGE(1<<64-1, all, all)
	for _, other := range others {
		for i, c := range other {
			if c != 0 {
				t.Fatalf("byte %d of another object was overwritten", i)
			}
		}
	}
	if len(w.SGEs()) != 1 || len(r.SGEs()) != 1 || len(o.SGEs()) != 1 {
		t.Errorf("elements %v, %v, %v", w.SGEs(), r.SGEs(), o.SGEs())
	}
}
