//go:build linux && cgo

package softverbs_test

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func (b *bench) status(want, got softverbs.Status, err error) {
	b.Helper()
	if err != nil || got != want {
		b.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPeerAtomics(t *testing.T) {
	b := open(t)
	mr, addr, mem := b.region(pageSize, allRemote)
	p, rkey := b.soft.Peer(), mr.RKey()
	for i, c := range []struct {
		add, compare, swap uint64 // a comparison if compare is not 0
		old, now           uint64
	}{{40, 0, 0, 0, 40}, {2, 0, 0, 40, 42}, {0, 41, 7, 42, 42}, {0, 42, 7, 42, 7}} {
		old, s, err := p.FetchAdd(rkey, addr+8, c.add)
		if c.compare != 0 {
			old, s, err = p.CompareSwap(rkey, addr+8, c.compare, c.swap)
		}
		b.status(softverbs.StatusSuccess, s, err)
		if now := binary.NativeEndian.Uint64(mem[8:]); old != c.old || now != c.now {
			t.Errorf("atomic %d: %d, then %d", i, old, now)
		}
	}
	_, s, err := p.FetchAdd(rkey, addr+12, 1)
	b.status(softverbs.StatusRemInvReq, s, err)
	_, s, err = p.FetchAdd(rkey, addr+pageSize-4, 1)
	b.status(softverbs.StatusRemAccess, s, err)
	none := open(t, softverbs.AtomicCap(0))
	mr, addr, _ = none.region(pageSize, allRemote)
	_, s, err = none.soft.Peer().FetchAdd(mr.RKey(), addr, 1)
	none.status(softverbs.StatusRemInvReq, s, err)
}

func TestPeerIsHeldToRights(t *testing.T) {
	b := open(t)
	p := b.soft.Peer()
	for _, has := range []verbs.MRAccess{0, verbs.MRAccessRemoteWrite, verbs.MRAccessRemoteRead, verbs.MRAccessRemoteAtomic} {
		mr, addr, _ := b.region(pageSize, localWrite|has)
		want := func(needs verbs.MRAccess) softverbs.Status {
			if has == needs {
				return softverbs.StatusSuccess
			}
			return softverbs.StatusRemAccess
		}
		s, err := p.Write(mr.RKey(), addr, []byte("x"))
		b.status(want(verbs.MRAccessRemoteWrite), s, err)
		s, err = p.Read(mr.RKey(), addr, make([]byte, 1))
		b.status(want(verbs.MRAccessRemoteRead), s, err)
		_, s, err = p.FetchAdd(mr.RKey(), addr, 1)
		b.status(want(verbs.MRAccessRemoteAtomic), s, err)
	}
}

func TestPeerInDeviceMemory(t *testing.T) {
	b := open(t)
	dm, in := b.allocDM(4096), make([]byte, 12)
	mr := must(b.pd.RegDMMR(dm, 64, 128, verbs.DMAccess(allRemote)|verbs.DMAccessZeroBased))(t)
	p, rkey := b.soft.Peer(), mr.RKey()
	s, err := p.Write(rkey, 0, []byte("zero-based"))
	b.status(softverbs.StatusSuccess, s, err)
	if must(dm.ReadAt(in, 64))(t); string(in) != "zero-based\x00\x00" {
		t.Errorf("in the device memory: %q", in)
	}
	s, err = p.Read(rkey, 5, in[:4])
	if b.status(softverbs.StatusSuccess, s, err); string(in[:4]) != "base" {
		t.Errorf("read %q", in[:4])
	}
	_, s, err = p.FetchAdd(rkey, 120, 5)
	b.status(softverbs.StatusSuccess, s, err)
	s, err = p.Read(rkey, 121, make([]byte, 8))
	b.status(softverbs.StatusRemAccess, s, err)
}

func TestPeerIsHeldToKeyAndBounds(t *testing.T) {
	b := open(t)
	mr, addr, mem := b.region(pageSize, allRemote)
	rkey := mr.RKey()
	p := b.soft.Peer()
	for _, c := range []struct {
		what string
		key  uint32
		addr uint64
		n    int
		want softverbs.Status
	}{
		{"last byte", rkey, addr + pageSize - 1, 1, softverbs.StatusSuccess},
		{"one too many", rkey, addr + pageSize - 1, 2, softverbs.StatusRemAccess},
		{"before", rkey, addr - 1, 1, softverbs.StatusRemAccess},
		{"behind", rkey, addr + pageSize, 1, softverbs.StatusRemAccess},
		{"zero-based address", rkey, 0, 1, softverbs.StatusRemAccess},
		{"lkey", mr.LKey(), addr, 1, softverbs.StatusRemAccess},
		{"index", rkey + 256, addr, 1, softverbs.StatusRemAccess},
		{"tag", rkey + 2, addr, 1, softverbs.StatusRemAccess},
		{"0", 0, addr, 1, softverbs.StatusRemAccess},
		{"far index", 0xffffff00, addr, 1, softverbs.StatusRemAccess},
		{"no bytes, no look at the key", 0, 0, 0, softverbs.StatusSuccess},
	} {
		t.Log(c.what)
		s, err := p.Write(c.key, c.addr, []byte{0x7f, 0x7f}[:c.n])
		b.status(c.want, s, err)
	}
	for i, v := range mem[:pageSize-1] {
		if v != 0 {
			t.Fatalf("a refused write changed byte %d", i)
		}
	}
}

func TestPeerSurvivesMemoryThatIsGone(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	for access, want := range map[verbs.MRAccess]softverbs.Status{
		allRemote: softverbs.StatusRemOp, allRemote | verbs.MRAccessOnDemand: softverbs.StatusRemAccess,
	} {
		mr, addr, mem := b.region(pageSize, access)
		b.ok(unix.Mprotect(mem, unix.PROT_NONE)) // as after munmap, but the address stays ours
		s, err := b.soft.Peer().Write(mr.RKey(), addr, []byte("x"))
		b.status(want, s, err)
		_, s, err = b.soft.Peer().FetchAdd(mr.RKey(), addr, 1)
		b.status(want, s, err)
	}
}

func TestPeerOfEachDevice(t *testing.T) {
	b := two(t)
	mr, addr, _ := b.region(pageSize, allRemote)
	s, err := must(b.soft.PeerOn("soft1"))(t).Write(mr.RKey(), addr, []byte("x"))
	b.status(softverbs.StatusRemAccess, s, err) // keys belong to a device
	if must(b.soft.PeerOn("soft0"))(t) != b.soft.Peer() {
		t.Error("two peers of one device")
	}
	_, err = b.soft.PeerOn("soft2")
	b.want(syscall.ENODEV, err)
}

func TestPeerAfterClose(t *testing.T) {
	dev := softverbs.New()
	p := dev.Peer()
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*softverbs.Peer{p, dev.Peer()} {
		if _, err := p.Write(1, 1, []byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("write: %v", err)
		}
		if _, err := p.Start(1, 1, 1); !errors.Is(err, os.ErrClosed) {
			t.Errorf("start: %v", err)
		}
	}
}

// TestFetchAddIsAtomic has a peer and this program add to the same number.
func TestFetchAddIsAtomic(t *testing.T) {
	b := open(t)
	mr, addr, mem := b.region(pageSize, allRemote)
	number := (*uint64)(unsafe.Pointer(unsafe.SliceData(mem)))
	var stop atomic.Bool
	added := make(chan uint64)
	go func() {
		n := uint64(0)
		for ; !stop.Load(); n++ {
			atomic.AddUint64(number, 1)
		}
		added <- n
	}()
	// until both have often added at the same time, which a machine with one processor never does
	peers, together := uint64(0), 0
	for end := time.Now().Add(5 * time.Second); together < 5000 && time.Now().Before(end); peers++ {
		before := atomic.LoadUint64(number)
		old, s, err := b.soft.Peer().FetchAdd(mr.RKey(), addr, 1)
		if s != softverbs.StatusSuccess || err != nil {
			t.Fatalf("fetch_add: %v, %v", s, err)
		}
		if before != old && atomic.LoadUint64(number) != old+1 {
			together++
		}
	}
	stop.Store(true)
	want := <-added + peers
	if got := atomic.LoadUint64(number); got != want {
		t.Errorf("%d after %d additions of 1", got, want)
	}
}

// TestStressEndsWithTheRegion takes a region away, or its memory, that the peer writes to: from then on its memory is the program's.
func TestStressEndsWithTheRegion(t *testing.T) {
	b := open(t)
	for _, end := range []func(mr *verbs.MR) error{(*verbs.MR).Close, func(mr *verbs.MR) error {
		addr, _ := rw(t, pageSize)
		return mr.Rereg(new(verbs.MRChange).Memory(mem.Addr(addr, pageSize)))
	}} {
		const length = 16 << 20
		mr, addr, memory := b.region(length, allRemote)
		stress := must(b.soft.Peer().Start(mr.RKey(), addr, length))(t)
		_, err := b.soft.Peer().Start(mr.RKey(), addr, 1)
		b.want(syscall.EBUSY, err)
		for memory[0] == 0 { // the first byte of a pass: all others are still to come
			runtime.Gosched()
		}
		b.ok(end(mr)) // waits for the pass that is under way
		clear(memory)
		for {
			r, err := stress.Report()
			if b.ok(err); err != nil || r.Status == softverbs.StatusRemAccess {
				break
			}
			runtime.Gosched()
		}
		if r := must(stress.Stop())(t); r.Status != softverbs.StatusRemAccess {
			t.Errorf("report %+v", r)
		}
		if _, err = stress.Stop(); err == nil {
			t.Error("second stop: success")
		}
		for i, v := range memory {
			if v != 0 {
				t.Fatalf("byte %d written after the region had ended", i)
			}
		}
	}
}
