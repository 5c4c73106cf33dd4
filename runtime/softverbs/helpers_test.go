//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const (
	localWrite = verbs.MRAccessLocalWrite
	allRemote  = localWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
)

var pageSize = uint64(syscall.Getpagesize())

// bench is a device that is open, and a PD. What a test leaves open is closed at its end.
type bench struct {
	*testing.T
	soft *softverbs.Device
	dev  *verbs.Device
	pd   *verbs.PD
}

func open(t *testing.T, opts ...softverbs.Option) *bench {
	t.Helper()
	soft, dev := verbstest.Open(t, opts...)
	dev.Lib().OnLint(nil) // the tests mean what they do
	b := &bench{t, soft, dev, must(dev.AllocPD())(t)}
	t.Cleanup(func() { b.ok(dev.CloseAll()) })
	return b
}

func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Error(err)
	}
}

// want compares an error with an errno; 0 is success.
func (b *bench) want(errno syscall.Errno, err error) {
	b.Helper()
	switch {
	case errno == 0 && err != nil:
		b.Errorf("got %v, want success", err)
	case errno != 0 && !errors.Is(err, errno):
		b.Errorf("got %v, want %v", err, errno)
	}
}

// mapping is anonymous memory that the test owns.
func mapping(t *testing.T, n uint64, prot int) (uintptr, []byte) {
	t.Helper()
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), prot, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.MunmapPtr(p, uintptr(n)) })
	return uintptr(p), unsafe.Slice((*byte)(p), n)
}

func rw(t *testing.T, n uint64) (uintptr, []byte) {
	t.Helper()
	return mapping(t, n, unix.PROT_READ|unix.PROT_WRITE)
}

func (b *bench) reg(addr uintptr, n uint64, access verbs.MRAccess) (*verbs.MR, error) {
	return b.pd.RegMRFrom(mem.Addr(addr, n), access)
}

func (b *bench) region(n uint64, access verbs.MRAccess) (mr *verbs.MR, addr uint64, mem []byte) {
	b.Helper()
	a, mem := rw(b.T, n)
	return must(b.reg(a, n, access))(b), uint64(a), mem
}

// end is one end of a connection: a queue pair with a CQ for each direction, and a region of four pages.
type end struct {
	b        *bench
	dev      *verbs.Device
	pd       *verbs.PD
	scq, rcq *verbs.CQ
	qp       *verbs.QP
	mr       *verbs.MR
	mem      []byte
}

// plan says how two ends differ from the usual.
type plan struct {
	depth  uint32
	cqe    int
	setup  func(*verbs.RCSetup)
	second verbs.QPState // in which the second end stays, when not 0
}

// end makes an end on the device called name.
func (b *bench) end(name string, p plan) *end {
	b.Helper()
	dev := b.dev
	if name != b.soft.Names()[0] {
		dev = must(b.dev.Lib().OpenDevice(name))(b)
		b.Cleanup(func() { b.ok(dev.CloseAll()) })
	}
	if p.cqe == 0 {
		p.cqe = 63
	}
	if p.depth == 0 {
		p.depth = 31
	}
	e := &end{b: b, dev: dev, pd: must(dev.AllocPD())(b)}
	e.scq, e.rcq = must(dev.CreateCQ(p.cqe, nil, 0))(b), must(dev.CreateCQ(p.cqe, nil, 0))(b)
	e.qp = e.another(p.depth)
	addr, mapped := rw(b.T, 4*pageSize)
	e.mr, e.mem = must(e.pd.RegMRFrom(mem.Addr(addr, 4*pageSize), allRemote))(b), mapped
	return e
}

// another makes one more queue pair with the completion queues of an end.
func (e *end) another(depth uint32) *verbs.QP {
	e.b.Helper()
	return must(e.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: e.scq, RecvCQ: e.rcq, MaxSendWR: depth, MaxRecvWR: depth,
		MaxSendSGE: 2, MaxRecvSGE: 1}))(e.b)
}

// of has all that a queue pair needs on its way to RTS, with short timeouts.
func (p plan) of(to *end) verbs.RCSetup {
	to.b.Helper()
	s := verbs.RCSetup{
		PortNum: 1, AccessFlags: verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic,
		PathMTU: verbs.MTU1024, DestQPNum: to.qp.Num(), RQPSN: 0x111, SQPSN: 0x111, MaxRDAtomic: 4, MaxDestRDAtomic: 4,
		MinRNRTimer: 12, Timeout: 10, RetryCnt: 2, RNRRetry: 1,
		AV: verbs.AHAttr{IsGlobal: true, DGID: must(to.dev.QueryGID(1, 0))(to.b), HopLimit: 1, PortNum: 1},
	}
	if p.setup != nil {
		p.setup(&s)
	}
	return s
}

// to takes an end through the states up to the one wanted.
func (e *end) to(p plan, peer *end, state verbs.QPState) {
	e.b.Helper()
	s := p.of(peer)
	for i, change := range []*verbs.QPAttr{s.Init(), s.RTR(), s.RTS()} {
		if verbs.QPState(i) < state {
			e.b.ok(e.qp.Modify(change))
		}
	}
}

func (e *end) change(state verbs.QPState) error { return e.qp.Modify(verbs.NewQPAttr(state)) }

// pair connects two ends: on the first two devices when there are two, else on the only one.
func (b *bench) pair(p plan) (x, y *end) {
	b.Helper()
	names := b.soft.Names()
	x, y = b.end(names[0], p), b.end(names[len(names)-1], p)
	x.to(p, y, verbs.QPStateRTS)
	if p.second == 0 {
		p.second = verbs.QPStateRTS
	}
	y.to(p, x, p.second)
	return x, y
}

func (e *end) sge(off, n uint64) verbs.SGE { return e.mr.UncheckedSGE(off, uint32(n)) }

// post posts one request, which fill writes.
func (e *end) post(fill func(verbs.SendWR)) error {
	e.b.Helper()
	batch := must(verbs.NewSendBatch(1, 2))(e.b)
	defer batch.Close()
	fill(batch.WR(0))
	_, err := e.qp.PostSend(batch, 1)
	return err
}

// op posts a request of 8 bytes on the memory of another end.
func (e *end) op(op verbs.WROpcode, id uint64, to *end, flags verbs.SendFlags) error {
	e.b.Helper()
	return e.post(func(w verbs.SendWR) {
		at, key := to.mr.IOVA(), to.mr.RKey()
		switch op {
		case verbs.WROpcodeRDMAWrite:
			w.Write(id, at, key)
		case verbs.WROpcodeRDMARead:
			w.Read(id, at, key)
		case verbs.WROpcodeAtomicFetchAndAdd:
			w.FetchAdd(id, at, key, 1)
		default:
			w.Send(id)
		}
		w.Add(e.sge(0, 8)).Flags(flags)
	})
}

// write posts a signaled write.
func (e *end) write(id uint64, to *end) {
	e.b.Helper()
	e.b.ok(e.op(verbs.WROpcodeRDMAWrite, id, to, verbs.SendSignaled))
}

// send posts a signaled send.
func (e *end) send(id uint64) {
	e.b.Helper()
	e.b.ok(e.op(verbs.WROpcodeSend, id, e, verbs.SendSignaled))
}

// recv posts a receive of n bytes.
func (e *end) recv(id, n uint64) error {
	e.b.Helper()
	batch := must(verbs.NewRecvBatch(1, 1))(e.b)
	defer batch.Close()
	batch.WR(0).Recv(id).Add(e.sge(0, n))
	_, err := e.qp.PostRecv(batch, 1)
	return err
}

// wait polls a CQ until n completions came.
func (b *bench) wait(cq *verbs.CQ, n int) []verbs.WC {
	b.Helper()
	return must(verbstest.Wait(cq, n))(b)
}

// statuses waits for completions and compares their statuses.
func (b *bench) statuses(cq *verbs.CQ, want ...verbs.WCStatus) {
	b.Helper()
	var got []verbs.WCStatus
	for _, wc := range b.wait(cq, len(want)) {
		got = append(got, wc.Status)
	}
	if !slices.Equal(got, want) {
		b.Errorf("completions with %v, want %v", got, want)
	}
}

// none is for completions that must not come: all that is queued on other queues is through by then.
func (b *bench) none(cq *verbs.CQ) {
	b.Helper()
	var wcs [8]verbs.WC
	if n, err := cq.PollInto(wcs[:]); n != 0 || err != nil {
		b.Errorf("completions %+v, %v", wcs[:n], err)
	}
}

func (e *end) state() verbs.QPState {
	e.b.Helper()
	info, _, err := e.qp.Query()
	return must(info, err)(e.b).State
}

// arrives waits for the byte that a peer writes at off.
func (e *end) arrives(off uint64, b byte) {
	for e.mem[off] != b {
		runtime.Gosched()
	}
}

func two(t *testing.T, opts ...softverbs.Option) *bench {
	t.Helper()
	return open(t, append([]softverbs.Option{softverbs.AnotherDevice("soft1")}, opts...)...)
}
