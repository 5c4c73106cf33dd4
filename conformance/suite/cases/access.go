//go:build linux && cgo

package cases

import (
	"bytes"
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
	return []suite.Case{
		of("CF-acc-0001", "a peer may do what each combination of flags allows, and no more", "ibv_reg_mr", rights, suite.Peer).Ruled(
			"VR-ibv_reg_mr-access-0001", "VR-ibv_reg_mr-access-0003"),
		of("CF-acc-0002", "every combination of named flags: what the rules refuse, the library refuses", "ibv_reg_mr", differential).Ruled(
			"VR-ibv_reg_mr-access-0001", "VR-ibv_reg_mr-access-0003", "VR-ibv_reg_mr-access-0004"),
		of("CF-acc-0003", "a peer's atomics", "ibv_reg_mr", atomics, suite.Peer, suite.Atomics),
		of("CF-acc-0004", "a peer writes while the garbage collector runs hard", "ibv_reg_mr", underCollector, suite.Peer),
		of("CF-acc-0005", "a region that the program has lost is still registered", "ibv_reg_mr", lost, suite.Peer),
		of("CF-acc-0006", "messages, RDMA and datagrams with a region whose accesses may be reordered", "ibv_reg_mr", relaxed, suite.Peer),
		of("CF-acc-0007", "the form that covers all: a region whose accesses may be reordered", "ibv_reg_mr", relaxedEx, suite.Peer, suite.MREx),
	}
}

// rights registers with each combination of the remote rights and has the peer try all three operations.
func rights(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	buf := must(mem.New(page))(t)
	allowed := func(yes bool) int {
		if yes {
			return suite.StatusSuccess
		}
		return suite.StatusRemAccess
	}
	for bits := range verbs.MRAccess(16) {
		mr, err := pd.RegMRFrom(buf, bits)
		if suite.Refused(err) != nil {
			if bits&verbs.MRAccessLocalWrite != 0 || bits&(verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteAtomic) == 0 {
				t.Errorf("%v: %v", bits, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", bits, err)
		}
		at := uint64(buf.Addr())
		p.Write(bits.String()+": write", mr.RKey(), at, []byte("12345678"), allowed(bits&verbs.MRAccessRemoteWrite != 0))
		p.Read(bits.String()+": read", mr.RKey(), at, make([]byte, 8), allowed(bits&verbs.MRAccessRemoteRead != 0))
		if t.Has(suite.Atomics) {
			p.FetchAdd(bits.String()+": atomic", mr.RKey(), at, 1, allowed(bits&verbs.MRAccessRemoteAtomic != 0))
		}
		ok(t, "Close", mr.Close())
	}
	ok(t, "closing the buffer", buf.Close())
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
			ok(t, "Close", mr.Close())
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
	ok(t, "closing the buffer", buf.Close())
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
	if old != 40 || *word != 42 {
		t.Errorf("fetch and add: was %d, is %d", old, *word)
	}
	old = p.CompareSwap("compare and swap", mr.RKey(), at, 42, 7)
	if old != 42 || *word != 7 {
		t.Errorf("compare and swap: was %d, is %d", old, *word)
	}
	old = p.CompareSwap("compare and swap of another value", mr.RKey(), at, 42, 8)
	if old != 7 || *word != 7 {
		t.Errorf("compare and swap of another value: was %d, is %d", old, *word)
	}
	ok(t, "Close", mr.Close())
	ok(t, "closing the buffer", buf.Close())
}

func underCollector(t *suite.T) {
	pd := newPD(t)
	p := t.PeerOf(pd)
	mr, pinned := onlyPinned(t, pd, 64<<10)
	if collected(pinned) { // what the peer writes to may be in use by others
		t.Fatalf("the memory was freed while the region lives")
	}
	at := uint64(mr.Addr())
	out, back := make([]byte, mr.Length()), make([]byte, mr.Length())
	for round := range 25 {
		for i := range out {
			out[i] = byte(i*3 + round)
		}
		p.Write("write", mr.RKey(), at, out)
		junk := make([][]byte, 64)
		for j := range junk {
			junk[j] = make([]byte, 1<<10*(1+round%8))
		}
		runtime.GC()
		runtime.KeepAlive(junk)
		if got := pinned.Value(); got == nil {
			t.Fatalf("round %d: the memory was freed while the region lives", round)
		} else if !bytes.Equal(unsafe.Slice(got, len(out)), out) {
			t.Fatalf("round %d: the memory does not hold what the peer wrote", round)
		}
		p.Read("read", mr.RKey(), at, back)
		if !bytes.Equal(back, out) {
			t.Fatalf("round %d: the peer reads something else", round)
		}
	}
	ok(t, "Close", mr.Close())
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
	if string(got) != "still here" {
		t.Errorf("read %q", got)
	}
	ok(t, "closing the connection", p.Close()) // so that the region alone holds the domain
	t.Errno("Close of the domain", pd.Close(), syscall.EBUSY)
}
