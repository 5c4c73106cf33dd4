//go:build linux && (amd64 || arm64)

package direct

import (
	"fmt"
	"math/bits"
	"os"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Option changes how a queue is taken.
type Option func(*options)

type options struct{ shared, blueFlame bool }

// Shared lets several goroutines use the queue: PostSend, PostRecv, PollInto and Recv wait for each other. To write a request in place, the
// program must hold a lock of its own from the request's first method to Ring. Without Shared, one goroutine at a time may use the queue.
func Shared(o *options) { o.shared = true }

// BlueFlame makes a queue pair write a single small request to the doorbell register as a whole, which saves the device a read of host
// memory. The program must make sure that no other queue pair uses the register: a queue pair in a thread domain of its own has one for
// itself. Without BlueFlame, and where the register takes no requests, only the first 8 bytes are written.
func BlueFlame(o *options) { o.blueFlame = true }

func chosen(opts []Option) (o options) {
	for _, f := range opts {
		f(&o)
	}
	return o
}

// CQ is a completion queue whose completions Go reads. Use it only by pointer.
//
// C: struct mlx5dv_cq, mlx5dv_init_obj(3).
type CQ struct {
	h    object.Handle
	gate *gate.Gate // of the verbs.CQ
	c    completions
}

// TakeCQ takes over a completion queue from libmlx5, before any queue pair is created with it. From then on, PollInto, PollSpin, Wait and
// ReqNotify of cq work on the memory of the queue. CQReader, Resize and functions of libmlx5 that read completions return an error. Each
// queue pair and shared receive queue whose requests complete there must be taken over too. The queue cannot be given back. Close the CQ
// before cq.
//
// C: mlx5dv_init_obj, mlx5dv_init_obj(3).
func TakeCQ(dv *mlx5dv.Lib, cq *verbs.CQ, opts ...Option) (*CQ, error) {
	const verb = "mlx5dv_init_obj"
	info, err := dv.InitCQ(cq)
	if err != nil {
		return nil, err
	}
	t, err := take(verb, "cq", cq.Device().Lib(), cq)
	if err != nil {
		return nil, err
	}
	defer t.Exit()
	o := &CQ{gate: t.gate}
	c := &o.c
	c.shared = chosen(opts).shared
	c.buf, c.shift = at(info.Buf), uint32(bits.TrailingZeros32(info.CQESize))
	if info.CQESize == 128 {
		c.buf = unsafe.Add(c.buf, 64)
	}
	c.mask, c.log = info.CQEs-1, uint32(bits.TrailingZeros32(info.CQEs))
	c.rec, c.uar, c.cqn = (*[2]uint32)(at(info.DBRec)), at(info.UAR), info.CQN
	c.next = be32(c.rec[0])
	if c.next != 0 {
		return nil, fail.Invalid(verb, "completions were taken from the queue before; take it before its first poll")
	}
	if err := opened(t, "direct.CQ", &o.h, o, o.end); err != nil {
		return nil, err
	}
	t.h.Watch(object.Watch{Enter: func(verb string) error {
		switch verb {
		case "ibv_resize_cq", "ibv_start_poll":
			return fail.Invalid(verb, "the queue belongs to package direct, which reads its memory; make a larger queue, and poll this one by "+
				"PollInto")
		}
		return nil
	}})
	dpath.Take(t.gate, &dpath.Native{Poll: c.pollSome, Polled: c.leave, Notify: c.arm, Event: func() { c.armed.Add(1) }})
	return o, nil
}

// taking is the handle of an object of libibverbs that is being taken.
type taking struct {
	bridge.Uses
	h    *object.Handle
	gate *gate.Gate
}

// take begins the use of a handle to take its queues.
func take[T any](verb, what string, lib *verbs.Lib, x *T) (*taking, error) {
	t := &taking{Uses: bridge.Uses{Verb: verb, Lib: lib}}
	h, err := bridge.Enter(&t.Uses, what, x)
	if err != nil {
		t.Exit()
		return nil, err
	}
	t.h, t.gate = h, h.Guard.(*gate.Gate)
	if dpath.Taken(t.gate) {
		t.Exit()
		return nil, fail.Invalid(verb, what+" was taken before")
	}
	return t, nil
}

// opened opens the handle of what takes t.
func opened(t *taking, kind string, h *object.Handle, owner interface{ Close() error }, end func() error, more ...*object.Node) error {
	h.Make(owner, kind, t.h.Origin, t.h.C, "", end)
	return h.Adopt(append([]*object.Node{&t.h.Node}, more...)...)
}

// at returns the memory of libmlx5 at an address.
func at(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// end is for Close: nothing polls afterwards.
func (c *CQ) end() error {
	if !c.c.stop() {
		return busy(c.String())
	}
	c.c.retire()
	dpath.Untake(c.gate)
	return nil
}

func busy(what string) error {
	return &verr.Error{Verb: "mlx5dv_init_obj", Errno: syscall.EBUSY,
		Msg: "a call on " + what + " did not end, or a request was begun without Ring"}
}

// PollInto takes up to len(wcs) completions from the queue and returns their number, 0 if there are none. PollInto of the verbs.CQ does
// the same, a little slower.
//
// C: ibv_poll_cq, ibv_poll_cq(3).
func (c *CQ) PollInto(wcs []verbs.WC) (int, error) {
	if c == nil {
		return 0, errPoll.Nil()
	}
	if c.c.buf == nil {
		return 0, errPoll.Errno(fail.ErrnoNeverOpened)
	}
	n, errno := c.c.poll(wcs)
	if errno != 0 {
		return n, errPoll.Errno(errno)
	}
	return n, nil
}

var errPoll = fail.Once{Verb: "ibv_poll_cq", Kind: "direct.CQ"}

// Close ends the use of the queue and waits for running calls. The verbs.CQ can then only be closed.
func (c *CQ) Close() error { return c.base().Close() }

// String returns the name that error messages use for the queue.
func (c *CQ) String() string { return c.base().String() }

func (c *CQ) base() *object.Handle {
	if c == nil {
		return object.Nil("direct.CQ", "mlx5dv_init_obj")
	}
	return c.h.Or("direct.CQ", "mlx5dv_init_obj")
}

// QP is a queue pair whose requests Go writes. Use it only by pointer.
//
// C: struct mlx5dv_qp, mlx5dv_init_obj(3).
type QP struct {
	h       object.Handle
	num     uint32
	sq      sends
	rq      recvs
	srq     *shared
	send    *CQ
	receive *CQ
	state   verbs.QPState // as it was seen last
}

// TakeQP takes over the queues of a queue pair from libmlx5, before the first request is posted. The type must be RC, UC, UD or XRC_SEND,
// or the queue pair a DCI. send and receive are its completion queues; receive is nil for XRC_SEND. srq is its shared receive queue or
// nil. From then on, PostSend, PostRecv and the calls that use them write to the memory of the queues. Streams and BindMW return an error.
// Modify and Query still work on qp, and RESET empties the queues. Close the QP before qp.
//
// C: mlx5dv_init_obj, mlx5dv_init_obj(3).
func TakeQP(dv *mlx5dv.Lib, qp *verbs.QP, send, receive *CQ, srq *SRQ, opts ...Option) (*QP, error) {
	const verb = "mlx5dv_init_obj"
	if name, ok := signed(); ok {
		return nil, fail.Invalid(verb, name+" is set, with which requests are signed; unset it")
	}
	if send == nil || qp == nil {
		return nil, fail.Invalid(verb, "a queue pair is taken with its completion queues; take them first, by TakeCQ")
	}
	info, err := dv.InitQP(qp)
	if err != nil {
		return nil, err
	}
	state, init, err := qp.Query(verbs.QPFieldState, verbs.QPFieldCap)
	if err != nil {
		return nil, err
	}
	t, err := take(verb, "qp", qp.Device().Lib(), qp)
	if err != nil {
		return nil, err
	}
	defer t.Exit()
	rec := (*[2]uint32)(at(info.DBRec))
	c := (*cQP)(t.h.C)
	switch {
	case c.sendCQ != uintptr(send.h.C) || c.recvCQ != uintptr(receive.base().C):
		return nil, fail.Invalid(verb, "the completion queues are not those of "+qp.String())
	case c.srq != 0 && (srq == nil || c.srq != uintptr(srq.h.C)) || c.srq == 0 && srq != nil:
		return nil, fail.Invalid(verb, "the shared receive queue of "+qp.String()+" is taken before it, and given with it; take it by TakeSRQ")
	case init.Type != verbs.QPTypeRC && init.Type != verbs.QPTypeUC && init.Type != verbs.QPTypeUD &&
		init.Type != verbs.QPTypeXRCSend && init.Type != verbs.QPTypeDriver:
		return nil, fail.Invalid(verb, fmt.Sprintf("%s is of type %v; direct knows RC, UC, UD, XRC_SEND and DCI", qp, init.Type))
	case rec[0] != 0 || rec[1] != 0 || state.State == verbs.QPStateErr:
		return nil, fail.Invalid(verb, "requests were posted to "+qp.String()+" before; take it before, or modify it to RESET first")
	}
	if receive == nil {
		receive = send
	}
	o := &QP{num: qp.Num(), send: send, receive: receive, state: state.State}
	q := &o.sq
	with := chosen(opts)
	q.shared, o.rq.shared = with.shared, with.shared
	q.buf, q.mask, q.wrap = at(info.SQBuf), info.SQWQEs-1, info.SQWQEs<<blockShift-1
	q.qpn, q.typ, q.dev, q.slots = qp.Num()<<8, init.Type, qp.Device(), make([]slot, info.SQWQEs)
	q.rec, q.reg, q.flip = &rec[1], at(info.BFReg), uintptr(info.BFSize)
	if with.blueFlame {
		q.whole = info.BFSize >> blockShift
	}
	q.limit = limits{init.Cap.MaxSendSGE, init.Cap.MaxInlineData}
	if init.SignalAll {
		q.each = ctrlSignaled << 24
		q.next = q.each
	}
	switch init.Type {
	case verbs.QPTypeUD:
		q.dests, q.ways = 3, map[uint64]*Address{}
		q.vector = func(ah *verbs.AH) (*Address, error) { return AddressOf(dv, ah) }
	case verbs.QPTypeXRCSend:
		q.dests = 1
	case verbs.QPTypeDriver: // a DCI, as a DCT has no queues
		q.dests = 3
	}
	r := &o.rq
	r.buf, r.mask, r.shift = at(info.RQBuf), info.RQWQEs-1, uint32(bits.TrailingZeros32(info.RQStride))
	r.room, r.most, r.rec, r.ids = info.RQStride/segment, int(init.Cap.MaxRecvSGE), &rec[0], make([]uint64, info.RQWQEs)
	q.allow(o.state >= verbs.QPStateRTS)
	if r.sges = -1; o.state != verbs.QPStateReset {
		r.sges = r.most
	}
	parents := []*object.Node{&send.h.Node, &receive.h.Node}
	if srq != nil {
		o.srq = &srq.q
		parents = append(parents, &srq.h.Node)
	}
	if err := opened(t, "direct.QP", &o.h, o, o.end, parents...); err != nil {
		return nil, err
	}
	for _, c := range o.queues() {
		c.mu.Lock()
		c.set(o.num, o)
		c.mu.Unlock()
	}
	t.h.Watch(object.Watch{Enter: func(verb string) error {
		switch verb {
		case "ibv_bind_mw":
			return fail.Invalid(verb, "the queue belongs to package direct")
		}
		return nil
	}, Exit: func() { o.look(t.h.C) }})
	dpath.Take(t.gate, &dpath.Native{Send: q.postRange, Recv: r.postRange})
	return o, nil
}

// signed names the variable with which libmlx5 signs requests.
func signed() (name string, ok bool) {
	for _, name := range []string{"MLX5_QP_SIGNATURE", "MLX5_SRQ_SIGNATURE"} {
		if v := os.Getenv(name); v != "" && v != "0" {
			return name, true
		}
	}
	return "", false
}

// look follows the queue pair through its states, as libmlx5 does: RESET begins the queues anew, receives are taken from INIT on, and
// sends from RTS on.
func (o *QP) look(c unsafe.Pointer) {
	state := verbs.QPState((*cQP)(c).state)
	if state == o.state {
		return
	}
	if !o.pause() {
		return
	}
	switch o.state = state; state {
	case verbs.QPStateReset:
		o.restart()
		o.sq.allow(false)
		o.rq.sges = -1
	case verbs.QPStateInit:
		o.rq.sges = o.rq.most
	case verbs.QPStateRTS:
		o.sq.allow(true)
	}
	for _, u := range o.users() {
		u.run()
	}
}

// queues are the completion queues. Their order is that of all queue pairs: two may stop the same ones at a time.
func (o *QP) queues() []*completions {
	a, b := &o.send.c, &o.receive.c
	switch {
	case a == b:
		return []*completions{a}
	case a.cqn > b.cqn:
		a, b = b, a
	}
	return []*completions{a, b}
}

// users are the queues that a change of the queue pair stops.
func (o *QP) users() []*use {
	u := []*use{&o.sq.use, &o.rq.use}
	for _, c := range o.queues() {
		u = append(u, &c.use)
	}
	return u
}

func (o *QP) pause() bool {
	for i, u := range o.users() {
		if !u.stop() {
			for _, u := range o.users()[:i] {
				u.run()
			}
			return false
		}
	}
	return true
}

// restart forgets all requests, and their completions. Nothing uses the queues meanwhile.
func (o *QP) restart() {
	for _, c := range o.queues() {
		c.forget(o.num)
	}
	q, r := &o.sq, &o.rq
	q.post, q.free, q.tail, q.rung, q.count, q.next = 0, 0, 0, 0, 0, q.each
	r.post, r.free, r.tail = 0, 0, 0
}

// end is for Close: nothing is posted afterwards, and completions that come are nobody's.
func (o *QP) end() error {
	if !o.pause() {
		return busy(o.String())
	}
	o.sq.retire()
	o.rq.retire()
	for _, c := range o.queues() {
		c.forget(o.num)
		c.set(o.num, nil)
		c.last = nil
		c.run()
	}
	return nil
}

// cQP is the beginning of struct ibv_qp.
type cQP struct {
	_      [3]uintptr // context, qp_context, pd
	sendCQ uintptr
	recvCQ uintptr
	srq    uintptr
	_      [2]uint32 // handle, qp_num
	state  uint32
}

// Close ends the use of the queues and waits for running calls. The verbs.QP can then only be closed.
func (o *QP) Close() error { return o.base().Close() }

// String returns the name that errors give the queue pair.
func (o *QP) String() string { return o.base().String() }

func (o *QP) base() *object.Handle {
	if o == nil {
		return object.Nil("direct.QP", "mlx5dv_init_obj")
	}
	return o.h.Or("direct.QP", "mlx5dv_init_obj")
}
