//go:build linux && cgo

package cases

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
	"weak"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func access() []suite.Case {
	peer := shared("ibv_reg_mr", suite.Peer)
	return []suite.Case{
		peer("CF-acc-0001", "a peer may do what each combination of flags allows, and no more", rights).Ruled(
			"VR-ibv_reg_mr-access-0001", "VR-ibv_reg_mr-access-0003"),
		of("CF-acc-0002", "every combination of named flags: what the rules refuse, the library refuses", "ibv_reg_mr", differential).Ruled(
			"VR-ibv_reg_mr-access-0001", "VR-ibv_reg_mr-access-0003", "VR-ibv_reg_mr-access-0004"),
		peer("CF-acc-0003", "a peer's atomics", atomics, suite.Atomics),
		peer("CF-acc-0004", "a peer writes while the garbage collector runs hard", underCollector),
		peer("CF-acc-0005", "a region that the program has lost is still registered", lost),
		peer("CF-acc-0006", "messages, RDMA and datagrams with a region whose accesses may be reordered", relaxed),
		peer("CF-acc-0007", "the form that covers all: a region whose accesses may be reordered",
			through(regMREx, relaxedOrder, false), suite.MREx),
	}
}

// rights registers with each combination of the remote rights and has the peer try all three operations.
func rights(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	buf := must(mem.New(page))(t)
	allowed := func(yes bool) verbs.WCStatus {
		if yes {
			return verbs.WCStatusSuccess
		}
		return verbs.WCStatusRemAccessErr
	}
	for bits := range verbs.MRAccess(16) {
		mr, err := pd.RegMRFrom(buf, bits)
		if suite.Refused(err) != nil {
			if bits&verbs.MRAccessLocalWrite != 0 || bits&(verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteAtomic) == 0 {
				t.Errorf("%v: %v", bits, err)
			}
			continue
		}
		needed(t, bits.String(), err)
		at := uint64(buf.Addr())
		p.Write(bits.String()+": write", mr.RKey(), at, []byte("12345678"), allowed(bits&verbs.MRAccessRemoteWrite != 0))
		p.Read(bits.String()+": read", mr.RKey(), at, make([]byte, 8), allowed(bits&verbs.MRAccessRemoteRead != 0))
		if t.Has(suite.Atomics) {
			p.FetchAdd(bits.String()+": atomic", mr.RKey(), at, 1, allowed(bits&verbs.MRAccessRemoteAtomic != 0))
		}
		t.OK("Close", mr.Close())
	}
	t.OK("closing the buffer", buf.Close())
}

// differential asks the rules and the library about all 2048 combinations of the eleven named flags.
func differential(t *suite.T) {
	pd, lib := newPD(t), without(t)
	buf := must(mem.New(page, mem.Populate()))(t)
	must(t.Device().QueryDeviceEx())(t)
	refuses, einval := 0, 0
	for i := range uint32(2048) {
		flags := verbs.MRAccess(i&0x3ff | i>>10*uint32(verbs.MRAccessRelaxedOrdering))
		mr, err := pd.RegMRFrom(buf, flags)
		if err == nil {
			t.OK("Close", mr.Close())
		}
		e := lib.RegMR(buf.Addr(), page, uint64(buf.Addr()), uint32(flags))
		no := suite.Refused(err) != nil
		if no {
			refuses++
		}
		if e == syscall.EINVAL {
			einval++
		}
		switch {
		case no && e == 0:
			t.Errorf("%v: the rules refuse it, the library accepts it: %v", flags, err)
		case !no && e == syscall.EINVAL && flags&verbs.MRAccessFlushPersistent != 0 && err != nil:
			// Linux 6.12 looks at the memory: only persistent memory can be flushed to persistence
		case !no && e == syscall.EINVAL:
			t.Errorf("%v: the library refuses it with EINVAL, the rules do not", flags)
		case !no && (err == nil) != (e == 0):
			t.Errorf("%v: %v with the bindings, %v without", flags, err, e)
		}
	}
	if refuses == 0 || einval == 0 {
		t.Errorf("the rules refuse %d combinations, the library %d with EINVAL: nothing was compared", refuses, einval)
	}
	t.OK("closing the buffer", buf.Close())
}

func atomics(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	buf := must(mem.New(page))(t)
	mr := must(pd.RegMRFrom(buf, rw|verbs.MRAccessRemoteAtomic))(t)
	at := uint64(buf.Addr())
	word := (*uint64)(unsafe.Pointer(unsafe.SliceData(buf.Bytes())))
	*word = 40
	old := p.FetchAdd("fetch and add", mr.RKey(), at, 2)
	swapped(t, "fetch and add", old, *word, 40, 42)
	old = p.CompareSwap("compare and swap", mr.RKey(), at, 42, 7)
	swapped(t, "compare and swap", old, *word, 42, 7)
	old = p.CompareSwap("compare and swap of another value", mr.RKey(), at, 42, 8)
	swapped(t, "compare and swap of another value", old, *word, 7, 7)
	t.OK("Close", mr.Close())
	t.OK("closing the buffer", buf.Close())
}

func underCollector(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	mr, pinned := onlyPinned(t, pd, 64<<10)
	if collected(pinned) { // what the peer writes to may be in use by others
		t.Fatalf("the memory was freed while the region lives")
	}
	stop := collect()
	defer stop()
	at := uint64(mr.Addr())
	out, back := make([]byte, mr.Length()), make([]byte, mr.Length())
	for round := range 25 {
		p.Write("write", mr.RKey(), at, fill(out, round))
		runtime.GC()
		got := pinned.Value()
		if got == nil {
			t.Fatalf("round %d: the memory was freed while the region lives", round)
		}
		holds(t, fmt.Sprintf("round %d: what the peer wrote", round), unsafe.Slice(got, len(out)), out)
		p.Read("read", mr.RKey(), at, back)
		holds(t, fmt.Sprintf("round %d: what the peer reads", round), back, out)
	}
	t.OK("Close", mr.Close())
}

// onlyPinned registers memory to which nothing but the region refers.
func onlyPinned(t *suite.T, pd *verbs.PD, length int) (*verbs.MR, weak.Pointer[byte]) {
	b := make([]byte, length)
	return must(pd.RegMR(b, rw))(t), weak.Make(&b[0])
}

func collected(m weak.Pointer[byte]) bool {
	for range 10 {
		runtime.GC()
	}
	return m.Value() == nil
}

func lost(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	rkey, at, pinned := func() (uint32, uint64, weak.Pointer[byte]) {
		mr, pinned := onlyPinned(t, pd, page)
		return mr.RKey(), uint64(mr.Addr()), pinned
	}()
	if collected(pinned) {
		t.Fatalf("the memory was freed while the region lives")
	}
	p.Write("write", rkey, at, []byte("still here"))
	got := make([]byte, 10)
	p.Read("read", rkey, at, got)
	holds(t, "read", got, []byte("still here"))
	t.OK("closing the connection", p.Close()) // so that the region alone holds the domain
	t.Errno("Close of the domain", pd.Close(), syscall.EBUSY)
}
