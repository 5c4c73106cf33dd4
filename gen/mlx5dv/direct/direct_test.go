//go:build linux && (amd64 || arm64)

package direct

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// device is a model of the device: the memory of queues, of which it reads what the records and the register count.
type device struct {
	qp       *QP
	cq       *CQ
	register []uint64
	rec      *[2]uint32
	seen     uint32 // blocks that it has read
	wrote    uint32 // completions
	flushing bool
}

func newDevice(blocks, entries uint32, typ verbs.QPType) *device {
	d := &device{qp: &QP{num: 0x123}, cq: new(CQ), register: make([]uint64, 512), rec: new([2]uint32)}
	q := &d.qp.sq
	q.buf, q.mask, q.wrap = unsafe.Pointer(&make([]uint64, blocks*block/8)[0]), blocks-1, blocks<<blockShift-1
	q.qpn, q.typ, q.slots = d.qp.num<<8, typ, make([]slot, blocks)
	q.rec, q.reg, q.flip = &d.rec[1], unsafe.Pointer(&d.register[0]), 256
	q.limit = limits{4, 100}
	q.allow(true)
	c := &d.cq.c
	c.buf, c.shift, c.mask = unsafe.Pointer(&make([]uint64, entries*8)[0]), 6, entries-1
	for c.log = 0; 1<<c.log < entries; c.log++ {
	}
	for i := range entries {
		*(*uint8)(unsafe.Add(c.buf, i<<6+63)) = cqeInvalid << 4
	}
	c.rec = new([2]uint32)
	c.set(d.qp.num, d.qp)
	return d
}

// step reads requests up to most of those that the doorbell counts, and completes those that are signaled.
func (d *device) step(t testing.TB, most int) {
	q := &d.qp.sq
	for ; most > 0 && uint16(d.seen) != uint16(be32(d.rec[1])); most-- {
		at := d.seen & q.mask << blockShift
		w := (*[4]uint32)(unsafe.Add(q.buf, at))
		op, index, n := be32(w[0])&0xff, be32(w[0])>>8, be32(w[1])&63
		if index != d.seen&0xffff || be32(w[1])>>8 != d.qp.num || n < 1 || n > 63 {
			t.Fatalf("block %d begins % x", d.seen, *w)
		}
		signaled := w[2]>>24&ctrlSignaled != 0
		if signaled {
			e := unsafe.Add(d.cq.c.buf, d.wrote&d.cq.c.mask<<6)
			*(*uint32)(unsafe.Add(e, cqeQPN)) = be32(op<<24 | d.qp.num)
			*(*uint32)(unsafe.Add(e, cqeBytes)) = be32(n)
			kind := uint32(cqeReq)
			if d.flushing {
				kind = cqeReqErr
				*(*uint8)(unsafe.Add(e, cqeReason)) = 5
			}
			*(*uint32)(unsafe.Add(e, cqeOwner)) = uint32(be16(uint16(d.seen))) | (kind<<4|d.wrote>>d.cq.c.log&1)<<24
			d.wrote++
		}
		d.seen += (n + 3) / 4
	}
}

// rung rings the doorbell for n requests.
func rung(t *testing.T, d *device, n int) {
	t.Helper()
	if got, err := d.qp.Ring(); got != n || err != nil {
		t.Fatalf("%d of %d requests, %v", got, n, err)
	}
}

var operations = flag.Int("operations", 200_000, "requests that TestModel posts to each queue")

// TestModel posts requests of every size and polls, in any order, against a queue as the specification has it: completions come in order
// with the ids of their requests, each ends those before it, and no request is written over one that the device has not read.
func TestModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, blocks := range []uint32{8, 16, 64, 256} {
		d, r := newDevice(blocks, 64, verbs.QPTypeRC), rand.New(rand.NewPCG(seed, uint64(blocks)))
		limit := &d.qp.sq.limit
		if blocks%3 == 1 { // 16, 64, 256: the elements are more than the inline data
			*limit = limits{9, 20}
			d.qp.sq.allow(true)
		}
		var under []uint64 // ids of signaled requests that have no completion yet
		wcs := make([]verbs.WC, 8)
		id, quiet, full := uint64(0), 0, 0
		for id < uint64(*operations) {
			switch r.IntN(3) {
			case 0:
				var ids []uint64
				n := 1 + r.IntN(5)
				begun := 0
				for range n {
					var flags verbs.SendFlags
					if quiet++; quiet == 3 || r.IntN(2) == 0 {
						flags, quiet = verbs.SendSignaled, 0
					}
					if len(under)+len(ids) >= 60 { // the completion queue
						break
					}
					id++
					w := d.qp.Write(id, id, 1)
					if w == (Request{}) {
						break
					}
					begun++
					if w = w.Flags(flags); r.IntN(3) == 0 {
						w.Inline(make([]byte, r.Uint32N(limit.inline+1)))
					} else {
						for range r.Uint32N(limit.sges + 1) {
							w = w.SGE(1, 2, 3)
						}
					}
					if flags != 0 {
						ids = append(ids, id)
					}
				}
				if got, err := d.qp.Ring(); got != begun || err != nil && !errors.Is(err, verbs.ErrQueueFull) {
					t.Fatalf("%d of %d requests, %v", got, begun, err)
				} else if err != nil {
					full++
				}
				under = append(under, ids...)
				if q := &d.qp.sq; q.post-d.seen > blocks || q.post-q.tail > blocks {
					t.Fatalf("%d blocks are in a queue of %d, %d of them unread", q.post-q.tail, blocks, q.post-d.seen)
				}
			case 1:
				d.step(t, r.IntN(6))
			default:
				n, err := d.cq.PollInto(wcs[:1+r.IntN(8)])
				if err != nil {
					t.Fatal(err)
				}
				for i, wc := range wcs[:n] {
					if len(under) == 0 || wc.ID != under[0] || wc.Opcode != verbs.WCOpcodeRDMAWrite || wc.QPNum != d.qp.num || wc.Status != 0 {
						t.Fatalf("completion %d: %+v, of %v", i, wc, under)
					}
					under = under[1:]
				}
			}
			if full > 0 && len(under) == 0 { // what is left is unsignaled
				d.step(t, 1<<10)
				d.qp.sq.tail, quiet, full = d.seen, 0, 0
			}
		}
	}
}

// TestFlushed reads completions with an error.
func TestFlushed(t *testing.T) {
	d := newDevice(8, 8, verbs.QPTypeRC)
	d.flushing = true
	d.qp.Send(7).Flags(verbs.SendSignaled)
	rung(t, d, 1)
	d.step(t, 1)
	var wcs [2]verbs.WC
	if n, err := d.cq.PollInto(wcs[:]); n != 1 || err != nil || wcs[0].ID != 7 || wcs[0].Status != verbs.WCStatusWRFlushErr {
		t.Errorf("%d, %v, %+v", n, err, wcs[0])
	}
}

// TestForeign reads a completion that is compressed: those before it come first, and it stays.
func TestForeign(t *testing.T) {
	d := newDevice(8, 8, verbs.QPTypeRC)
	for range 2 {
		d.qp.Send(7).Flags(verbs.SendSignaled)
	}
	rung(t, d, 2)
	d.step(t, 2)
	*(*uint8)(unsafe.Add(d.cq.c.buf, 64+63)) |= compressed << 2
	var wcs [2]verbs.WC
	if n, err := d.cq.PollInto(wcs[:]); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for range 2 {
		if n, err := d.cq.PollInto(wcs[:]); n != 0 || !errors.Is(err, syscall.EIO) {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// TestWrong posts requests that a queue pair cannot carry. Those before them are posted, and those behind are not.
func TestWrong(t *testing.T) {
	for name, wrong := range map[string]func(*QP){
		"elements":  func(o *QP) { o.Write(2, 0, 0).SGE(1, 1, 1).SGE(1, 1, 1).SGE(1, 1, 1).SGE(1, 1, 1).SGE(1, 1, 1) },
		"inline":    func(o *QP) { o.Write(2, 0, 0).Inline(make([]byte, 101)) },
		"both":      func(o *QP) { o.Write(2, 0, 0).SGE(1, 1, 1).Inline(make([]byte, 1)) },
		"twice":     func(o *QP) { o.Write(2, 0, 0).Inline(make([]byte, 1)).Inline(make([]byte, 1)) },
		"operation": func(o *QP) { o.Read(2, 0, 0) },
		"address":   func(o *QP) { o.To(new(Address), 1, 2) },
		"queue":     func(o *QP) { o.ToSRQ(1) },
	} {
		first := newDevice(64, 8, verbs.QPTypeUC)
		wrong(first.qp)
		first.qp.Send(3)
		if n, err := first.qp.Ring(); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s, with nothing before it: %d, %v", name, n, err)
		}
		first.qp.Send(4)
		rung(t, first, 1)
		d := newDevice(64, 8, verbs.QPTypeUC)
		d.qp.sq.whole = 4
		d.qp.Send(1).Flags(verbs.SendSignaled)
		wrong(d.qp)
		d.qp.Send(3)
		if n, err := d.qp.Ring(); n != 1 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if got, want := d.register[0], *(*uint64)(d.qp.sq.buf); got != want {
			t.Errorf("%s: the register has %#x, not the beginning of the request, %#x", name, got, want)
		}
		d.qp.Send(4)
		rung(t, d, 1)
		d.step(t, 9)
		if d.seen != 2 {
			t.Errorf("%s: the device has read %d blocks", name, d.seen)
		}
	}
}

// TestDropped drops the request after an invalidation: the next one waits in its place.
func TestDropped(t *testing.T) {
	d := newDevice(64, 8, verbs.QPTypeRC)
	d.qp.LocalInv(1, 2)
	d.qp.Write(2, 0, 0).Inline(make([]byte, 101))
	if n, err := d.qp.Ring(); n != 1 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%d, %v", n, err)
	}
	d.qp.Send(3)
	first := d.qp.sq.first
	rung(t, d, 1)
	if got := *(*uint32)(unsafe.Add(d.qp.sq.buf, first+8)) >> 24; got != ctrlSmallFence {
		t.Errorf("the request has the flags %#x", got)
	}
}

// TestBlueFlame looks at the register: it has a single request as a whole, if it may, and the first 8 bytes of the latest of several.
func TestBlueFlame(t *testing.T) {
	for whole, want := range map[uint32][]int{0: {8, 8}, 4: {64, 8}} { // bytes for one request, and for two
		for i, n := range want {
			d := newDevice(64, 8, verbs.QPTypeRC)
			d.qp.sq.whole = whole
			for range i + 1 {
				d.qp.Write(1, 2, 3).SGE(4, 5, 6)
			}
			rung(t, d, i+1)
			got := unsafe.Slice((*byte)(unsafe.Pointer(&d.register[0])), 72)
			latest := unsafe.Slice((*byte)(unsafe.Add(d.qp.sq.buf, i*block)), 64)
			if !bytes.Equal(got[:n], latest[:n]) || !bytes.Equal(got[n:], make([]byte, 72-n)) {
				t.Errorf("whole %d, %d requests: the register has % x, want %d bytes of % x", whole, i+1, got, n, latest)
			}
		}
	}
}

// TestReceivesFull fills a receive queue, takes some, and fills it again.
func TestReceivesFull(t *testing.T) {
	o := new(QP)
	q := &o.rq
	q.buf, q.mask, q.shift, q.room, q.sges = unsafe.Pointer(&make([]uint64, 64)[0]), 7, 6, 4, 4
	q.rec, q.ids = new(uint32), make([]uint64, 8)
	batch, err := verbs.NewRecvBatch(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range batch.All() {
		w.Recv(7).SGE(1, 2, 3)
	}
	posted := uint64(0)
	for taken := range uint32(8) {
		var errno syscall.Errno
		for errno == 0 {
			n := 0
			switch (posted + uint64(taken)) % 3 {
			case 0:
				if errno = q.put(posted, nil); errno == 0 {
					n = 1
				}
			case 1:
				n, errno = q.postRange(batch.From(0, 3))
			default:
				if err := o.Recv(posted, 1, 2, 3); err == nil {
					n = 1
				} else if !errors.Is(err, verbs.ErrQueueFull) {
					t.Fatal(err)
				} else {
					errno = syscall.ENOMEM
				}
			}
			posted += uint64(n)
		}
		if errno != syscall.ENOMEM || be32(*q.rec) > uint32(posted) {
			t.Fatalf("%v, record %d of %d", errno, be32(*q.rec), posted)
		}
		if want := uint64(8 + taken*(taken+1)/2); posted != want {
			t.Fatalf("%d receives are posted, want %d", posted, want)
		}
		q.tail += taken + 1
	}
}

// TestAdded adds to one value of a request several times, and to one that has ended, before and after Ring.
func TestAdded(t *testing.T) {
	d := newDevice(64, 8, verbs.QPTypeRC)
	w := d.qp.Write(1, 2, 3)
	w.SGE(0x11, 5, 6)
	w.SGE(0x22, 7, 8)
	w.Flags(verbs.SendSignaled)
	rung(t, d, 1)
	got := *(*[8]uint64)(d.qp.sq.buf)
	if got[4] != element(5, 6) || got[5] != be64(0x11) || got[6] != element(7, 8) || got[7] != be64(0x22) || got[1]>>24&255 != ctrlSignaled {
		t.Errorf("% x", got)
	}
	w.SGE(0x33, 1, 1)
	if n, err := d.qp.Ring(); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an element for a request that was posted: %d, %v", n, err)
	}
	w = d.qp.Write(1, 2, 3)
	d.qp.Write(4, 5, 6)
	w.Inline([]byte{1})
	d.qp.Send(7)
	if n, err := d.qp.Ring(); n != 1 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("data for a request that has ended: %d, %v", n, err)
	}
	rung(t, d, 0)
}

// TestAimless sends to nobody.
func TestAimless(t *testing.T) {
	d := newDevice(64, 8, verbs.QPTypeUD)
	d.qp.sq.dests = 3
	d.qp.sq.allow(true)
	d.qp.Send(1)
	if n, err := d.qp.Ring(); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a datagram without To: %d, %v", n, err)
	}
	d.qp.To(new(Address), 5, 6)
	d.qp.Send(1)
	rung(t, d, 1)
}

// TestNilAndZero uses what nobody took.
func TestNilAndZero(t *testing.T) {
	for name, o := range map[string]*QP{"nil": nil, "zero": new(QP)} {
		o.To(new(Address), 1, 2)
		o.ToSRQ(1)
		o.ToDCT(nil, 1, 2, 3)
		o.Write(1, 2, 3).SGE(1, 2, 3).Inline(make([]byte, 1)).Flags(verbs.SendSignaled)
		o.LocalInv(1, 2)
		o.Nop(1)
		o.Bind(1, nil, 1, nil, 0, 8, 0)
		if n, err := o.Ring(); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if err := o.Recv(1, 2, 3, 4); err == nil {
			t.Errorf("a receive of a %s QP", name)
		}
		if err := o.Close(); err == nil {
			t.Errorf("Close of a %s QP succeeds", name)
		}
	}
	for name, c := range map[string]*CQ{"nil": nil, "zero": new(CQ)} {
		if n, err := c.PollInto(make([]verbs.WC, 1)); n != 0 || err == nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if err := c.Close(); err == nil {
			t.Errorf("Close of a %s CQ succeeds", name)
		}
	}
	if err := new(SRQ).Close(); err == nil {
		t.Error("Close of a zero SRQ succeeds")
	}
}

// TestInUse has two goroutines use one queue: the second is refused, or waits where the queue is shared.
func TestInUse(t *testing.T) {
	d := newDevice(8, 8, verbs.QPTypeRC)
	if errno := d.cq.c.enter(); errno != 0 {
		t.Fatal(errno)
	}
	if _, err := d.cq.PollInto(make([]verbs.WC, 1)); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("a second poll: %v", err)
	}
	d.cq.c.shared = true
	defer func(old time.Duration) { patience = old }(patience)
	patience = 10 * time.Millisecond
	if _, err := d.cq.PollInto(make([]verbs.WC, 1)); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("a poll of a shared queue that is in use for long: %v", err)
	}
	patience = time.Minute
	done := make(chan error)
	go func() { _, err := d.cq.PollInto(make([]verbs.WC, 1)); done <- err }()
	time.Sleep(time.Millisecond)
	d.cq.c.leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if errno := d.qp.sq.lock(); errno != 0 {
		t.Fatal(errno)
	}
	d.qp.sq.leave()
	if !d.qp.sq.stop() {
		t.Fatal("an idle queue does not stop")
	}
	d.qp.sq.retire()
	if d.qp.sq.stop() {
		t.Error("a closed queue stops again")
	}
	if errno := d.qp.sq.enter(); errno != fail.ErrnoClosed {
		t.Errorf("a closed queue: %d", errno)
	}
}

// TestGather copies what a completion carries to several elements.
func TestGather(t *testing.T) {
	to := make([]byte, 64)
	addr := func(i int) uint64 { return be64(uint64(uintptr(unsafe.Pointer(&to[i])))) }
	list := []uint64{element(10, 0), addr(0), element(20, 0), addr(30)}
	data := make([]byte, 25)
	for i := range data {
		data[i] = byte(i + 1)
	}
	if !gather(following(unsafe.Pointer(&list[0])), 2, data) || !slices.Equal(to[:10], data[:10]) || !slices.Equal(to[30:45], data[10:]) {
		t.Errorf("% x", to)
	}
	if gather(following(unsafe.Pointer(&list[0])), 1, data) {
		t.Error("25 bytes found room in 10")
	}
}

// TestBatches posts batches: the register has the beginning of the latest request, and one with too many elements, or too much inline data,
// is refused with its place.
func TestBatches(t *testing.T) {
	batch, err := verbs.NewSendBatch(3, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Close()
	data := make([]byte, 101)
	addr := uint64(uintptr(unsafe.Pointer(&data[0])))
	wrong := map[string]func(verbs.SendWR){
		"elements": func(w verbs.SendWR) {
			for range 5 {
				w.SGE(1, 2, 3)
			}
		},
		"inline": func(w verbs.SendWR) {
			w.SGE(addr, 101, 0).Flags(verbs.SendInline)
		},
		"inline sum": func(w verbs.SendWR) {
			w.SGE(addr, 50, 0).SGE(addr, 51, 0).Flags(verbs.SendInline)
		},
	}
	for name, fill := range wrong {
		d := newDevice(64, 8, verbs.QPTypeRC)
		for i := range 2 {
			batch.WR(i).Write(uint64(i), 2, 3).SGE(addr, 50, 6).SGE(addr, 50, 6).Flags(verbs.SendInline) // as much as it takes
		}
		fill(batch.WR(2).Write(2, 2, 3))
		if n, errno := d.qp.sq.postRange(batch.From(0, 3)); n != 2 || errno != syscall.ENOMEM {
			t.Errorf("%s: %d, %v", name, n, errno)
		}
		if got, want := d.register[0], *(*uint64)(unsafe.Add(d.qp.sq.buf, 3*block)); got != want {
			t.Errorf("%s: the register has %#x, and the latest request begins with %#x", name, got, want)
		}
	}
	runtime.KeepAlive(data)
}

// TestCarried finds data that a completion has before it, and puts an answer to where the request wanted it.
func TestCarried(t *testing.T) {
	b := make([]byte, 128)
	for i := range b {
		b[i] = byte(i)
	}
	if got := carried(unsafe.Pointer(&b[64]), inFront<<26, 40); !bytes.Equal(got, b[:40]) {
		t.Errorf("% x", got)
	}
	d, to := newDevice(64, 8, verbs.QPTypeXRCSend), make([]byte, 8)
	d.qp.sq.dests = 1
	d.qp.sq.allow(true)
	d.qp.ToSRQ(5)
	d.qp.Read(1, 2, 3).SGE(uint64(uintptr(unsafe.Pointer(&to[0]))), 8, 4)
	rung(t, d, 1)
	if !d.qp.sq.answer(0, opRead, b[:8]) || !bytes.Equal(to, b[:8]) {
		t.Errorf("the answer is % x", to)
	}
}

// TestAfterLocalInv posts to a queue pair all of whose requests are signaled: the one after an invalidation is too, and waits for it.
func TestAfterLocalInv(t *testing.T) {
	d := newDevice(16, 16, verbs.QPTypeRC)
	q := &d.qp.sq
	q.each = ctrlSignaled << 24
	q.next = q.each
	d.qp.LocalInv(1, 5)
	d.qp.Send(2)
	d.qp.Send(3)
	rung(t, d, 3)
	for i, want := range []uint32{ctrlSignaled, ctrlSignaled | ctrlSmallFence, ctrlSignaled} {
		first := uint32(0)
		if i > 0 {
			first = q.slots[0].end + uint32(i) - 1
		}
		if got := *(*uint32)(unsafe.Add(q.buf, first<<blockShift+8)) >> 24; got != want {
			t.Errorf("request %d has the flags %#x, not %#x", i, got, want)
		}
	}
	d.step(t, 3)
	var wcs [4]verbs.WC
	if n, err := d.cq.PollInto(wcs[:]); n != 3 || err != nil || wcs[1].ID != 2 {
		t.Errorf("%d completions, %v, %+v", n, err, wcs)
	}
}

// TestForgetLater takes the completions of a queue pair away when the queue has gone round: none of them is polled, and later ones are.
func TestForgetLater(t *testing.T) {
	d := newDevice(8, 8, verbs.QPTypeRC)
	var wcs [8]verbs.WC
	post := func(ids ...uint64) {
		for _, id := range ids {
			d.qp.Send(id).Flags(verbs.SendSignaled)
		}
		rung(t, d, len(ids))
		d.step(t, len(ids))
	}
	for id := range uint64(20) {
		post(id)
		if n, err := d.cq.PollInto(wcs[:]); n != 1 || err != nil || wcs[0].ID != id {
			t.Fatalf("%d completions, %v", n, err)
		}
	}
	post(1, 2)
	d.cq.c.forget(d.qp.num)
	d.qp.sq.tail = d.qp.sq.post
	post(3)
	if n, err := d.cq.PollInto(wcs[:]); n != 1 || err != nil || wcs[0].ID != 3 {
		t.Errorf("%d completions, %v, of %d", n, err, wcs[0].ID)
	}
}

// TestAnswer has answers that the device writes to the completion: they go to the elements of the request.
func TestAnswer(t *testing.T) {
	d := newDevice(8, 8, verbs.QPTypeRC)
	memory := make([]uint32, 4)
	addr := uint64(uintptr(unsafe.Pointer(&memory[0])))
	d.qp.FetchAdd(1, 0x1000, 2, 3).SGE(addr, 8, 1)
	d.qp.Read(2, 0x1000, 2).SGE(addr+12, 4, 1).SGE(addr+8, 4, 1)
	rung(t, d, 2)
	q := &d.qp.sq
	answer := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	for i, op := range []uint32{opFetchAdd, opRead} {
		if !q.answer(uint32(i), op, answer) {
			t.Errorf("answer %d has no room", i)
		}
	}
	if !slices.Equal(memory, []uint32{1, 2, 2, 1}) {
		t.Errorf("the answers lie as %v", memory)
	}
	if q.answer(1, opRead, append(answer, 0)) {
		t.Error("there is room for 9 bytes")
	}
	runtime.KeepAlive(memory)
}
