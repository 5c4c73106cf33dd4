//go:build linux && cgo

package oncard

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// shared starts n processes. The first makes a domain, and a region of its own memory or of memory that all map; the others import both,
// and may map the memory late.
func shared(t *testing.T, memory string, n int) (all []*sharer, pd, mr reply) {
	t.Helper()
	all = sharers(t, n)
	a := all[0]
	a.do(order{Do: "open"})
	pd = a.do(order{Do: "alloc pd"})
	a.do(order{Do: strings.TrimSuffix(memory, " late")})
	mr = a.do(order{Do: "reg mr"})
	for _, b := range all[1:] {
		a.do(order{Do: "send"})
		b.do(order{Do: "import device"})
		b.do(order{Do: "import pd", N: pd.N})
		if memory == "map memory" {
			b.do(order{Do: memory})
		}
		if got := b.do(order{Do: "import mr", N: mr.N, At: mr.At}); got.Key != mr.Key {
			t.Errorf("the imported region has the key %#x, the region %#x", got.Key, mr.Key)
		}
		if memory == "map memory late" {
			b.do(order{Do: "map memory"})
		}
	}
	return all, pd, mr
}

// connectSharers connects new queue pairs of two processes.
func connectSharers(a, b *sharer) {
	to, from := a.do(order{Do: "make qp"}), b.do(order{Do: "make qp"})
	a.do(order{Do: "connect", N: from.N, GID: from.GID})
	b.do(order{Do: "connect", N: to.N, GID: to.GID})
}

// TestShare has a process make a queue pair in the domain of another. The region of the other is its own end of requests, and the remote
// one: of requests to the other, and of requests to itself.
func TestShare(t *testing.T) {
	for _, memory := range []string{"own memory", "map memory"} {
		t.Run(memory, func(t *testing.T) {
			all, _, mr := shared(t, memory, 2)
			a, b := all[0], all[1]
			connectSharers(a, b)
			a.do(order{Do: "fill", N: half, M: 7})
			b.status(order{Do: "write", N: uint64(mr.Key), M: mr.At + half}, verbs.WCStatusSuccess)
			a.holds(half, half, 7)
			a.do(order{Do: "fill", N: half, M: 9})
			b.status(order{Do: "read", At: half, N: uint64(mr.Key), M: mr.At}, verbs.WCStatusSuccess)
			a.holds(half, half, 9)
			a.do(order{Do: "fill", N: half, M: 11})
			a.status(order{Do: "write", N: uint64(mr.Key), M: mr.At + half}, verbs.WCStatusSuccess) // b's queue pair reaches it too
			a.holds(half, half, 11)
			a.do(order{Do: "fill", N: sharedSize, M: 0})
			a.status(order{Do: "add", At: 8, N: uint64(mr.Key), M: mr.At}, verbs.WCStatusSuccess)
			a.holds(0, 1, 5)
			b.status(order{Do: "write", N: uint64(mr.Key) + 1, M: mr.At}, verbs.WCStatusRemAccessErr)
		})
	}
}

// TestShareEnds has one process end objects that another uses, or that are not there.
func TestShareEnds(t *testing.T) {
	all, pd, mr := shared(t, "own memory", 2)
	a, b := all[0], all[1]
	connectSharers(a, b)
	b.refused(order{Do: "import pd", N: mr.N}, syscall.EINVAL)
	b.refused(order{Do: "import mr", N: pd.N}, syscall.EINVAL)
	b.refused(order{Do: "import mr", N: 9999}, syscall.ENOENT)
	a.do(order{Do: "change mr"}) // so that nobody may write
	b.status(order{Do: "read", N: uint64(mr.Key), M: mr.At}, verbs.WCStatusLocProtErr)
	b.do(order{Do: "close qp"})
	a.do(order{Do: "close qp"})
	connectSharers(a, b)

	b.do(order{Do: "destroy mr"}) // of both
	a.status(order{Do: "write", N: uint64(mr.Key), M: mr.At}, verbs.WCStatusLocProtErr)
	a.refused(order{Do: "close mr"}, syscall.ENOENT)
	a.do(order{Do: "unimport mr"})
	b.do(order{Do: "close qp"})
	b.refused(order{Do: "destroy pd"}, syscall.EBUSY) // of a's queue pair
	a.do(order{Do: "close qp"})
	b.do(order{Do: "destroy pd"})
	b.refused(order{Do: "import pd", N: pd.N}, syscall.ENOENT)
	a.do(order{Do: "unimport pd"})
	a.do(order{Do: "alloc pd"}) // with a handle that was one of others
	a.do(order{Do: "reg mr"})
	a.do(order{Do: "close device"})
	b.do(order{Do: "close device"})
}

// TestShareWithoutTheFirst uses what a process shared after it has closed its device, or has died.
func TestShareWithoutTheFirst(t *testing.T) {
	for _, memory := range []string{"own memory", "map memory", "map memory late"} {
		for _, end := range []string{"close", "kill"} {
			t.Run(memory+", "+end, func(t *testing.T) {
				all, pd, mr := shared(t, memory, 2)
				a, b := all[0], all[1]
				e, big := bigEnd(t, card.Devices[1], io.Discard)
				at := must(link.First(open(t, card.Devices[1])))(t)
				own := b.do(order{Do: "make qp"})
				must(0, e.Connect(own.GID, 0, uint32(own.N)))(t)
				b.do(order{Do: "connect", N: uint64(e.QP.Num()), GID: at.Port.GID()})
				if end == "close" {
					a.do(order{Do: "leave"})
				} else {
					a.do(order{Do: "make qp"})
					must(0, a.cmd.Process.Kill())(t)
					_ = a.cmd.Wait()
				}
				useAlone(b, big, mr, memory != "own memory")
				b.do(order{Do: "close qp"})
				b.do(order{Do: "destroy mr"})
				b.do(order{Do: "unimport pd"}) // the second of two handles
				b.do(order{Do: "import pd", N: pd.N})
				if end == "close" {
					b.do(order{Do: "destroy pd"})
				} else {
					b.refused(order{Do: "destroy pd"}, syscall.EBUSY) // of the queue pair that nobody ended
				}
				b.do(order{Do: "close device"})
			})
		}
	}
}

// useAlone imports a region again, and moves bytes between it and another one. It cannot be reached if the process that is gone did not
// share its memory.
func useAlone(b *sharer, big *verbs.MR, mr reply, mapped bool) {
	addr := big.UncheckedSGE(0, 8).Addr
	b.do(order{Do: "unimport mr"})
	b.do(order{Do: "import mr", N: mr.N, At: mr.At})
	if !mapped {
		b.status(order{Do: "write", N: uint64(big.RKey()), M: addr}, verbs.WCStatusLocProtErr)
		return
	}
	b.do(order{Do: "fill", N: half, M: 7})
	b.status(order{Do: "write", N: uint64(big.RKey()), M: addr}, verbs.WCStatusSuccess)
	b.status(order{Do: "read", At: half, N: uint64(big.RKey()), M: addr}, verbs.WCStatusSuccess)
	b.holds(half, half, 7)
	b.do(order{Do: "unmap memory"}) // the region has it still
	b.status(order{Do: "write", N: uint64(big.RKey()), M: addr}, verbs.WCStatusSuccess)
}

// TestShareWithoutTheSecond has a process die that imported a domain: its queue pair needs the domain until no process has the file.
func TestShareWithoutTheSecond(t *testing.T) {
	all, _, mr := shared(t, "own memory", 3)
	a, b, c := all[0], all[1], all[2]
	connectSharers(a, b)
	must(0, b.cmd.Process.Kill())(t)
	_ = b.cmd.Wait()
	a.status(order{Do: "write", N: uint64(mr.Key), M: mr.At}, verbs.WCStatusRetryExcErr)
	a.do(order{Do: "close qp"})
	connectSharers(a, c)
	c.status(order{Do: "write", N: uint64(mr.Key), M: mr.At}, verbs.WCStatusSuccess)
	c.do(order{Do: "close qp"})
	c.do(order{Do: "close device"})
	a.do(order{Do: "close qp"})
	a.do(order{Do: "close mr"})
	a.refused(order{Do: "destroy pd"}, syscall.EBUSY)
	a.do(order{Do: "unimport pd"})
	a.do(order{Do: "close device"})
}

// TestShareAmongThree has two processes import what a third made, and one of them what the other made. Then the device is removed.
func TestShareAmongThree(t *testing.T) {
	all, _, mr := shared(t, "own memory", 3)
	a, b, c := all[0], all[1], all[2]
	connectSharers(b, c)
	a.do(order{Do: "fill", N: half, M: 7})
	c.status(order{Do: "write", N: uint64(mr.Key), M: mr.At + half}, verbs.WCStatusSuccess)
	a.holds(half, half, 7)
	b.do(order{Do: "unimport mr"})
	b.do(order{Do: "own memory"})
	own := b.do(order{Do: "reg mr"})
	c.status(order{Do: "write", N: uint64(own.Key), M: own.At}, verbs.WCStatusSuccess)
	b.holds(0, half, 7)
	c.do(order{Do: "unimport mr"})
	c.do(order{Do: "import mr", N: own.N, At: own.At})
	b.do(order{Do: "fill", N: half, M: 9})
	c.status(order{Do: "write", N: uint64(mr.Key), M: mr.At}, verbs.WCStatusSuccess)
	a.holds(0, half, 9)

	fail(t, card.Devices[0], card.Faults{Removed: true})
	b.refused(order{Do: "import mr", N: mr.N}, syscall.EIO)
	for _, s := range all {
		s.do(order{Do: "close device"})
	}
}

// TestShareKeys asks that no two processes have a key in common, as one may import the region of the other.
func TestShareKeys(t *testing.T) {
	seen := map[uint32]bool{}
	for _, s := range sharers(t, 2) {
		s.do(order{Do: "open"})
		s.do(order{Do: "alloc pd"})
		s.do(order{Do: "own memory"})
		seen[s.do(order{Do: "reg mr"}).Key] = true
	}
	if len(seen) != 2 {
		t.Errorf("the regions of two processes have the keys %v", seen)
	}
}

// TestShareAtOnce has processes make and close objects of one file at the same time.
func TestShareAtOnce(t *testing.T) {
	all, _, _ := shared(t, "own memory", 3)
	for _, s := range all {
		s.do(order{Do: "own memory"})
	}
	for _, s := range all {
		s.tell(order{Do: "churn", N: 1000})
	}
	for _, s := range all {
		if a := s.answer(); a.Err != "" {
			t.Error(a.Err)
		}
	}
}

// TestShareDM has two processes allocate and import device memory of one file.
func TestShareDM(t *testing.T) {
	all, _, _ := shared(t, "own memory", 2)
	a, b := all[0], all[1]
	dm := a.do(order{Do: "alloc dm", N: 4096})
	a.do(order{Do: "write dm", N: 4096, M: 7})
	b.do(order{Do: "alloc dm", N: 4096})
	b.do(order{Do: "write dm", N: 4096, M: 9}) // elsewhere
	a.do(order{Do: "unimport dm"})
	a.do(order{Do: "alloc dm", N: 4096})
	a.do(order{Do: "write dm", N: 4096, M: 11})
	a.do(order{Do: "leave"})
	b.do(order{Do: "import dm", N: dm.N})
	if got := b.do(order{Do: "read dm", N: 4096}).Bytes; !bytes.Equal(got, bytes.Repeat([]byte{7}, 4096)) {
		t.Errorf("the imported memory begins with %v", got[:8])
	}
	b.refused(order{Do: "import dm", N: 9999}, syscall.ENOENT)
}
