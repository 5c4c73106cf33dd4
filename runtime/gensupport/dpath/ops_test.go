//go:build linux && cgo

package dpath_test

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// tags makes a queue with tags, and a batch of n operations with room for two elements each.
func tags(t *testing.T, n int) (*dptest.Tags, *dpath.OpsBatch) {
	t.Helper()
	q, err := dptest.NewTags()
	check(t, err)
	t.Cleanup(q.Close)
	b, err := dpath.NewOpsBatch(n, 2)
	check(t, err)
	return q, b
}

// TestOps shows C each operation, built over another one, and reads the handles that it gives.
func TestOps(t *testing.T) {
	q, b := tags(t, 4)
	for i := range b.Len() {
		b.WR(i).Add(77, 78, 79, 80).SGE(1, 2, 3).Unexpected(81).Flags(1)
	}
	b.WR(0).Add(1, 2, 0x0102030405060708, ^uint64(0)).SGE(0x1000, 8, 9).SGE(0x2000, 16, 10).Flags(1)
	b.WR(1).Del(3, 4)
	b.WR(2).Sync(5, 6).Flags(1)
	b.WR(3).Add(7, 8, 9, 10).Unexpected(11)
	want := []dptest.Op{
		{ID: 1, RecvID: 2, Tag: 0x0102030405060708, Mask: ^uint64(0), Flags: 1, SGEs: 2, Last: dptest.SGE{Addr: 0x2000, Length: 16, LKey: 10}},
		{ID: 3, Opcode: 1, Handle: 4},
		{ID: 5, Opcode: 2, Flags: 3, Unexpected: 6},
		{ID: 7, RecvID: 8, Tag: 9, Mask: 10, Flags: 2, Unexpected: 11},
	}
	if n, errno := dpath.PostSRQOpsRange(q.Gate(), b.From(0, 4)); n != 4 || errno != 0 {
		t.Fatalf("%d, %v", n, errno)
	}
	if got := q.Seen(); !slices.Equal(got, want) {
		t.Errorf("C saw %+v, want %+v", got, want)
	}
	for i, handle := range []uint32{100, 4, 0, 103} {
		if got := b.WR(i).Handle(); got != handle {
			t.Errorf("operation %d has handle %d, want %d", i, got, handle)
		}
	}
	if n, errno := dpath.PostSRQOpsRange(q.Gate(), b.From(1, 2)); n != 2 || errno != 0 || !slices.Equal(q.Seen(), want[1:3]) {
		t.Errorf("a range: %d, %v, %+v", n, errno, q.Seen())
	}
	if w := b.WR(0); len(w.SGEs()) != 2 || w.Opcode() != 0 {
		t.Errorf("%v with %v", w.Opcode(), w.SGEs())
	}
}

// TestOpsRefused posts what the provider refuses or lacks, and what must not reach it.
func TestOpsRefused(t *testing.T) {
	q, b := tags(t, 3)
	post := func(what string, queue *gate.Gate, r dpath.OpsRange, posted int, want syscall.Errno) {
		t.Helper()
		if n, errno := dpath.PostSRQOpsRange(queue, r); n != posted || errno != want {
			t.Errorf("%s: %d, %v, want %d, %v", what, n, errno, posted, want)
		}
	}
	q.Refuse(1)
	post("the second is refused", q.Gate(), b.From(0, 3), 1, syscall.ENOMEM)
	q.Refuse(-1)
	post("again", q.Gate(), b.From(0, 3), 3, 0)
	post("more than there are", q.Gate(), b.From(1, 3), 0, syscall.EINVAL)
	post("none", q.Gate(), b.From(0, 0), 0, 0)
	var none *dpath.OpsBatch
	post("no batch", q.Gate(), none.From(0, 1), 0, syscall.EINVAL)
	post("a queue that was never opened", new(gate.Gate), b.From(0, 1), 0, fail.ErrnoNeverOpened)
	for _, how := range []int{dptest.NoOp, dptest.Older, dptest.Plain} {
		q, b := tags(t, 2)
		q.Lack(how)
		post("no operation", q.Gate(), b.From(0, 2), 0, syscall.EOPNOTSUPP)
	}
	check(t, b.Close())
	post("a closed batch", q.Gate(), b.From(0, 1), 0, fail.ErrnoBatchClosed)
	wantIs(t, dpath.Refused(b.From(0, 1), fail.ErrnoBatchClosed), os.ErrClosed)
	for name, use := range map[string]func(){"nil": func() { none.WR(0) }, "closed": func() { b.WR(0) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("WR of a batch that is %s gives a request", name)
				}
			}()
			use()
		}()
	}
	wantIs(t, second(dpath.NewOpsBatch(0, 1)), syscall.EINVAL)
}
