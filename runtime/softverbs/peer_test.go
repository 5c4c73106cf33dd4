//go:build linux && cgo

package softverbs_test

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

const allRemote = localWrite | remoteWrite | remoteRead | remoteAtomic

func (b *bench) region(n uint64, access uint32) (mr harness.Obj, rkey uint32, addr uint64, mem []byte) {
	b.Helper()
	a, mem := rw(b.T, n)
	mr = b.must(b.lib.RegMR(b.pd, a, n, access))
	return mr, harness.ReadMR(mr).RKey, uint64(a), mem
}

func (b *bench) status(want, got softverbs.Status, err error) {
	b.Helper()
	if err != nil || got != want {
		b.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPeerAtomics(t *testing.T) {
	b := open(t)
	mr, rkey, addr, mem := b.region(pageSize, allRemote)
	p := b.dev.Peer()
	value := func() uint64 { return binary.NativeEndian.Uint64(mem[8:]) }
	binary.NativeEndian.PutUint64(mem[8:], 40)
	old, s, err := p.FetchAdd(rkey, addr+8, 2)
	if b.status(softverbs.StatusSuccess, s, err); old != 40 || value() != 42 {
		t.Errorf("fetch_add: %d, then %d", old, value())
	}
	old, s, err = p.CompareSwap(rkey, addr+8, 41, 7)
	if b.status(softverbs.StatusSuccess, s, err); old != 42 || value() != 42 {
		t.Errorf("cmp_swap that finds another value: %d, then %d", old, value())
	}
	old, s, err = p.CompareSwap(rkey, addr+8, 42, 7)
	if b.status(softverbs.StatusSuccess, s, err); old != 42 || value() != 7 {
		t.Errorf("cmp_swap: %d, then %d", old, value())
	}
	_, s, err = p.FetchAdd(rkey, addr+12, 1)
	b.status(softverbs.StatusRemInvReq, s, err)
	_, s, err = p.FetchAdd(rkey, addr+pageSize-4, 1)
	b.status(softverbs.StatusRemAccess, s, err)
	b.dereg(mr)

	none := open(t, softverbs.AtomicCap(0))
	mr, rkey, addr, _ = none.region(pageSize, allRemote)
	_, s, err = none.dev.Peer().FetchAdd(rkey, addr, 1)
	none.status(softverbs.StatusRemInvReq, s, err)
	none.dereg(mr)
}

func TestPeerIsHeldToRights(t *testing.T) {
	b := open(t)
	p := b.dev.Peer()
	for _, c := range []struct {
		access              uint32
		write, read, atomic softverbs.Status
	}{
		{localWrite, softverbs.StatusRemAccess, softverbs.StatusRemAccess, softverbs.StatusRemAccess},
		{remoteRead, softverbs.StatusRemAccess, softverbs.StatusSuccess, softverbs.StatusRemAccess},
		{localWrite | remoteWrite, softverbs.StatusSuccess, softverbs.StatusRemAccess, softverbs.StatusRemAccess},
		{localWrite | remoteAtomic, softverbs.StatusRemAccess, softverbs.StatusRemAccess, softverbs.StatusSuccess},
	} {
		mr, rkey, addr, _ := b.region(pageSize, c.access)
		s, err := p.Write(rkey, addr, []byte("x"))
		b.status(c.write, s, err)
		s, err = p.Read(rkey, addr, make([]byte, 1))
		b.status(c.read, s, err)
		_, s, err = p.FetchAdd(rkey, addr, 1)
		b.status(c.atomic, s, err)
		b.dereg(mr)
	}
}

func TestPeerIsHeldToKeyAndBounds(t *testing.T) {
	b := open(t)
	mr, rkey, addr, mem := b.region(pageSize, allRemote)
	lkey := harness.ReadMR(mr).LKey
	p := b.dev.Peer()
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
		{"lkey", lkey, addr, 1, softverbs.StatusRemAccess},
		{"index", rkey + 256, addr, 1, softverbs.StatusRemAccess},
		{"tag", rkey + 2, addr, 1, softverbs.StatusRemAccess},
		{"0", 0, addr, 1, softverbs.StatusRemAccess},
		{"far index", 0xffffff00, addr, 1, softverbs.StatusRemAccess},
		{"no bytes, no look at the key", 0, 0, 0, softverbs.StatusSuccess},
	} {
		data := make([]byte, c.n)
		for i := range data {
			data[i] = 0x7f
		}
		t.Log(c.what)
		s, err := p.Write(c.key, c.addr, data)
		b.status(c.want, s, err)
	}
	for i, v := range mem[:pageSize-1] {
		if v != 0 {
			t.Fatalf("a refused write changed byte %d", i)
		}
	}
	b.dereg(mr)
}

func TestPeerInDeviceMemory(t *testing.T) {
	b := open(t)
	dm := b.allocDM(4096)
	mr := b.must(b.lib.RegDMMR(b.pd, dm, 64, 128, allRemote|zeroBased))
	rkey := harness.ReadMR(mr).RKey
	p := b.dev.Peer()
	s, err := p.Write(rkey, 0, []byte("zero-based"))
	b.status(softverbs.StatusSuccess, s, err)
	in := make([]byte, 12)
	b.ok(b.lib.FromDM(in, dm, 64, 12))
	if string(in) != "zero-based\x00\x00" {
		t.Errorf("in the device memory: %q", in)
	}
	s, err = p.Read(rkey, 5, in[:4])
	if b.status(softverbs.StatusSuccess, s, err); string(in[:4]) != "base" {
		t.Errorf("read %q", in[:4])
	}
	old, s, err := p.FetchAdd(rkey, 120, 5)
	if b.status(softverbs.StatusSuccess, s, err); old != 0 {
		t.Errorf("fetch_add: %d", old)
	}
	s, err = p.Read(rkey, 121, make([]byte, 8))
	b.status(softverbs.StatusRemAccess, s, err)
	b.dereg(mr)
	b.ok(b.lib.FreeDM(b.ctx, dm))
}

func TestPeerSurvivesMemoryThatIsGone(t *testing.T) {
	b := open(t, softverbs.ODP(1, 0xff, 0, 0))
	for access, want := range map[uint32]softverbs.Status{
		allRemote: softverbs.StatusRemOp, allRemote | onDemand: softverbs.StatusRemAccess,
	} {
		mr, rkey, addr, mem := b.region(pageSize, access)
		b.ok(unix.Mprotect(mem, unix.PROT_NONE)) // as after munmap, but the address stays ours
		s, err := b.dev.Peer().Write(rkey, addr, []byte("x"))
		b.status(want, s, err)
		_, s, err = b.dev.Peer().FetchAdd(rkey, addr, 1)
		b.status(want, s, err)
		b.dereg(mr)
	}
}

func TestPeerOfEachDevice(t *testing.T) {
	b := open(t, softverbs.AnotherDevice("soft1"))
	mr, rkey, addr, _ := b.region(pageSize, allRemote)
	other, err := b.dev.PeerOn("soft1")
	b.ok(err)
	s, err := other.Write(rkey, addr, []byte("x"))
	b.status(softverbs.StatusRemAccess, s, err) // keys belong to a device
	first, err := b.dev.PeerOn("soft0")
	if b.ok(err); first != b.dev.Peer() {
		t.Error("two peers of one device")
	}
	if _, err = b.dev.PeerOn("soft2"); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("peer of no device: %v", err)
	}
	b.dereg(mr)
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

func TestStressWhileTheCollectorRuns(t *testing.T) {
	b := open(t)
	const length = 4 << 20
	mr, rkey, addr, mem := b.region(length+pageSize, allRemote)
	stress, err := b.dev.Peer().Start(rkey, addr, length)
	b.ok(err)
	if _, err := b.dev.Peer().Start(rkey, addr, 1); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("second start: %v", err)
	}
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				if _, s, err := b.dev.Peer().FetchAdd(rkey, addr+length+8*g, 1); s != softverbs.StatusSuccess || err != nil {
					t.Errorf("fetch_add: %v, %v", s, err)
				}
				runtime.GC()
			}
		}()
	}
	wg.Wait()
	r, err := stress.Stop()
	if b.ok(err); r.Status != softverbs.StatusSuccess || r.Passes == 0 {
		t.Fatalf("report %+v", r)
	}
	for i := range uint64(length) {
		if want := byte(r.Passes - 1 + i); mem[i] != want {
			t.Fatalf("byte %d is %d, want %d of pass %d", i, mem[i], want, r.Passes-1)
		}
	}
	for g := range uint64(4) {
		if n := binary.NativeEndian.Uint64(mem[length+8*g:]); n != 25 {
			t.Errorf("counter %d: %d", g, n)
		}
	}
	if _, err = stress.Stop(); err == nil {
		t.Error("second stop: success")
	}
	b.dereg(mr)
}

// TestFetchAddIsAtomic has a peer and this program add to the same number.
func TestFetchAddIsAtomic(t *testing.T) {
	b := open(t)
	mr, rkey, addr, mem := b.region(pageSize, allRemote)
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
		old, s, err := b.dev.Peer().FetchAdd(rkey, addr, 1)
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
	b.dereg(mr)
}

func TestStressEndsWithTheRegion(t *testing.T) {
	b := open(t)
	b.untouchedAfter(b.dereg)
	var moved harness.Obj
	b.untouchedAfter(func(mr harness.Obj) {
		moved = mr
		addr, _ := rw(t, pageSize)
		if rc, err := b.lib.Rereg(mr, changeTranslation, nil, addr, pageSize, 0); rc != 0 {
			t.Errorf("rereg: %d, %v", rc, err)
		}
	})
	b.dereg(moved)
}

// untouchedAfter has the peer write to a region and takes the region away: from then on its memory is the program's.
func (b *bench) untouchedAfter(end func(mr harness.Obj)) {
	b.Helper()
	const length = 16 << 20
	mr, rkey, addr, mem := b.region(length, allRemote)
	stress, err := b.dev.Peer().Start(rkey, addr, length)
	b.ok(err)
	for mem[0] == 0 { // the first byte of a pass: all others are still to come
		runtime.Gosched()
	}
	end(mr) // waits for the pass that is under way
	clear(mem)
	for {
		r, err := stress.Report()
		if b.ok(err); err != nil || r.Status == softverbs.StatusRemAccess {
			break
		}
		runtime.Gosched()
	}
	r, err := stress.Stop()
	if b.ok(err); r.Status != softverbs.StatusRemAccess {
		b.Errorf("report %+v", r)
	}
	for i, v := range mem {
		if v != 0 {
			b.Fatalf("byte %d written after the region had ended", i)
		}
	}
}
