package vet

import "testing"

// TestProgram follows values through a function.
func TestProgram(t *testing.T) {
	wants(t, `package x

import (
	v "github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func flags(pd *v.PD, dm *v.DM, buf []byte, some v.MRAccess, deep bool) {
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite) // want VR-ibv_reg_mr-access-0001 |v.MRAccessLocalWrite
	//verbsgen:ignore VR-ibv_reg_mr-access-0001 on purpose
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite)
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite|v.MRAccessLocalWrite)
	_, _ = pd.RegMR(buf, v.MRAccessRemoteWrite|some)
	_, _ = pd.RegDMMR(dm, 0, 64, v.DMAccessLocalWrite) // want VR-ibv_reg_dm_mr-access-0002 |v.DMAccessZeroBased
	access := v.MRAccessRemoteWrite
	if deep {
		access |= v.MRAccessLocalWrite
	}
	_, _ = pd.RegMR(buf, access)
	access = v.MRAccessRemoteWrite
	if deep {
		access |= v.MRAccessLocalWrite
		return
	}
	_, _ = pd.RegMR(buf, access) // want VR-ibv_reg_mr-access-0001 |v.MRAccessLocalWrite
	for range 3 {
		_, _ = pd.RegMR(buf, access)
		access |= v.MRAccessLocalWrite
	}
	const fixed = v.MRAccessRemoteAtomic
	func() { _, _ = pd.RegMR(buf, fixed) }() // want VR-ibv_reg_mr-access-0003 |v.MRAccessLocalWrite
}

func address(pd *v.PD, buf []byte, change func(*v.MRAccess)) {
	access := v.MRAccessRemoteWrite
	change(&access)
	_, _ = pd.RegMR(buf, access)
}

func structs(pd *v.PD, cq *v.CQ) {
	attr := v.QPInitAttr{Type: v.QPTypeRC}
	attr.SendCQ = cq
	_, _ = pd.CreateQP(attr) // want VR-ibv_create_qp-recv_cq-0300
	attr.RecvCQ = cq
	_, _ = pd.CreateQP(attr)
}

func builders(dev *v.Device, pd *v.PD, qp *v.QP, other func(*v.SRQInitAttrEx)) {
	a := v.NewSRQInitAttrEx(pd, 10, 1)
	a.Type(v.SRQTypeXRC)
	_, _ = dev.CreateSRQEx(a) // want VR-ibv_create_srq_ex-comp_mask-1205
	other(a)
	_, _ = dev.CreateSRQEx(a)
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).Timeout(40)) // want VR-ibv_modify_qp-timeout-0241
	_, _ = pd.RegMREx(v.NewMRInitAttr(0, 0).Memory(mem.Bytes(nil)))
	_, _ = pd.RegMREx(v.NewMRInitAttr(0, 0).Memory(mem.Addr(4096, 0))) // want VR-ibv_reg_mr_ex-length-0060
	_, _ = dev.QueryPort(0) // want VR-ibv_query_port-port_num-0170
}
`, own(t, "verbs"))
}

// TestParameters judges arguments that are more, or fewer, than a parameter of C: memory with its length, a dma-buf, a list with its
// count, flags one by one, and windows and headers in requests.
func TestParameters(t *testing.T) {
	wants(t, `package x

import (
	v "github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func memory(pd *v.PD, mr *v.MR, counters *v.Counters, fd int) {
	_, _ = pd.RegMR(make([]byte, 0), 1) // want VR-ibv_reg_mr-length-0012
	_, _ = pd.RegMRFrom(mem.Addr(0, 4096), 1) // want VR-ibv_reg_mr-addr-0201
	_, _ = pd.RegMRFrom(mem.Addr(4096, 4096), 1)
	_, _ = pd.RegDMABufMR(mem.DMABuf{FD: fd, Offset: 4160}, 131072, 0) // want VR-ibv_reg_dmabuf_mr-iova-0046
	_, _ = pd.RegDMABufMR(mem.DMABuf{fd, 4160, 0}, 4160, 0)
	_ = counters.Read(make([]uint64, 0), 0) // want VR-ibv_read_counters-ncounters-0758
	_ = counters.Read(make([]uint64, 1), 0)
}

func Requests(pd *v.PD, cq *v.CQ, qp *v.QP, mr *v.MR) {
	window, _ := pd.AllocMW(v.MWType1)
	b, _ := v.NewSendBatch(1, 1)
	_ = window.Bind(b.WR(0), 1, v.MWBindAttr{MR: mr})
	_, _ = qp.PostSend(b, 1) // want VR-ibv_post_send-type-0356
	_ = new(v.MW).Bind(b.WR(0), 1, v.MWBindAttr{MR: mr, Access: 1}) // want VR-ibv_post_send-mw_access_flags-0366
	_, _ = qp.PostSend(b, 1)
	rc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	b.WR(0).Send(0).ToSRQ(1) // want VR-ibv_post_send-remote_srqn-1228
	_, _ = rc.PostSend(b, 1) // want VR-ibv_post_send-state-0357
	s, _ := qp.Stream()
	b.WR(0).SendTSO(0, make([]byte, 13), 0) // want VR-ibv_wr_send_tso-hdr_sz-4006
	_, _ = s.Post(b, 1)
	xrc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeXRCSend, SendCQ: cq}) // want VR-ibv_create_qp-qp_type-0298
	s, _ = xrc.Stream()
	b.WR(0).Send(0).ToSRQ(1 << 24) // want VR-ibv_wr_set_xrc_srqn-remote_srqn-3118
	_, _ = s.Post(b, 1)
	_, _, _ = qp.Query(v.QPField(1), v.QPField(1<<30)) // want VR-ibv_query_qp-attr_mask-2020
}
`, own(t, "verbs"))
}

// TestStates follows the state of an object that the function makes.
func TestStates(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func states(pd *v.PD, cq *v.CQ, other func(*v.QP)) error {
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUC, SendCQ: cq, RecvCQ: cq,
		MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: 1, MaxRecvSGE: 1})
	if err != nil {
		return err
	}
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1)) // want VR-ibv_modify_qp-attr_mask-0221
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).AccessFlags(0))
	_ = qp.Modify(v.NewQPAttr(v.QPStateRTR)) // want VR-ibv_modify_qp-attr_mask-0221
	other(qp)
	_ = qp.Num()
	_ = qp.Modify(v.NewQPAttr(v.QPStateRTS).Timeout(1)) // want VR-ibv_modify_qp-attr_mask-0221, VR-ibv_modify_qp-attr_mask-0227
	return qp.Modify(v.NewQPAttr(v.QPStateErr))
}

func Memory(dev *v.Device, pd *v.PD) error {
	dm, err := dev.AllocDM(v.NewAllocDMAttr(4096))
	if err != nil {
		return err
	}
	_, _ = pd.RegDMMR(dm, 0, 8192, v.DMAccessZeroBased) // want VR-ibv_reg_dm_mr-dm_offset-0123
	_, err = pd.RegDMMR(dm, 0, 4096, v.DMAccessZeroBased)
	return err
}
`, own(t, "verbs"))
}

// TestMisuse finds what no rule of a page is about.
func TestMisuse(t *testing.T) {
	wants(t, `package x

import (
	"context"

	"unsafe"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func elements(pd *v.PD, mr *v.MR, given []byte) []v.SGE {
	buf := make([]byte, 64)
	known := make([]byte, 64)
	_, _ = pd.RegMR(known, 0)
	return []v.SGE{
		{Addr: uint64(uintptr(unsafe.Pointer(&buf[0]))), Length: 64, LKey: mr.LKey()}, // want memory
		{Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(buf)))), Length: 64},    // want memory
		{Addr: uint64(uintptr(unsafe.Pointer(&known[0]))), Length: 64, LKey: mr.LKey()},
		{Addr: uint64(uintptr(unsafe.Pointer(&given[0]))), Length: 64, LKey: mr.LKey()},
	}
}

func results(pd *v.PD, qp *v.QP, attr *v.QPAttr) {
	qp.Modify(attr) // want result
	_ = qp.Modify(attr)
	defer qp.Close()
}

// bind binds a window of type 2, which is a request and not a call of ibv_bind_mw.
func bind(pd *v.PD, wr v.SendWR, mr *v.MR) error {
	mw, err := pd.AllocMW(v.MWType2)
	if err != nil {
		return err
	}
	return mw.Bind(wr, 1, v.MWBindAttr{MR: mr, Length: 64})
}

func event(ctx context.Context, ch *v.CompChannel, keep func(*v.CQEvent)) error {
	ev, err := ch.Next(ctx) // want event
	if err != nil {
		return err
	}
	_ = ev.CQ
	done, err := ch.Next(ctx)
	if err != nil {
		return err
	}
	defer done.Done()
	kept, err := ch.Next(ctx)
	keep(kept)
	return err
}

func open(lib *v.Lib) error {
	dev, err := lib.OpenDevice("x")
	if err != nil {
		return err
	}
	defer dev.Close()
	pd, err := dev.AllocPD() // want handle
	if err != nil {
		return err
	}
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return err
	}
	defer cq.Close()
	_, err = pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	return err
}

func all(lib *v.Lib) error {
	dev, err := lib.OpenDevice("x")
	if err != nil {
		return err
	}
	defer dev.CloseAll()
	_, err = dev.AllocPD()
	pd, err := dev.AllocPD()
	_ = pd.Handle()
	return err
}

func shared(n int) {
	b, _ := v.NewSendBatch(1, 1)
	for range n {
		go func() { _ = b.Len() }() // want batch
	}
	for range n {
		own, _ := v.NewSendBatch(1, 1)
		go func() { _ = own.Len() }()
	}
}
`, own(t, "verbs"))
}

// TestEvents finds events that nobody acknowledges.
func TestEvents(t *testing.T) {
	wants(t, `package x

import (
	"context"
	"errors"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func blank(ctx context.Context, ch *v.CompChannel) error {
	_, err := ch.Next(ctx) // want event
	if err != nil {
		return err
	}
	if _, err = ch.Next(ctx); err != nil { // want event
		return err
	}
	for {
		_, err := ch.Next(ctx) // want event
		if err != nil {
			return err
		}
	}
}

// refused wants the error.
func refused(ctx context.Context, ch *v.CompChannel) bool {
	_, err := ch.Next(ctx)
	if !errors.Is(err, context.Canceled) {
		return false
	}
	_, err = ch.Next(ctx)
	if _, other := ch.Next(ctx); other == nil {
		return false
	}
	return err != nil
}

func silenced(ctx context.Context, ch *v.CompChannel) error {
	ev, err := ch.Next(ctx) // want event
	_ = ev
	return err
}

func queue(ctx context.Context, ch *v.CompChannel) (*v.CQ, error) {
	ev, err := ch.Next(ctx) // want event
	if err != nil {
		return nil, err
	}
	return ev.CQ, nil
}

func done(ctx context.Context, ch *v.CompChannel) (*v.CQ, error) {
	ev, err := ch.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer ev.Done()
	return ev.CQ, nil
}
`, own(t, "verbs"))
}

// TestCompletions finds waits that cannot succeed, completions that nobody checks, and requests that a batch does not have.
func TestCompletions(t *testing.T) {
	wants(t, `package x

import (
	"context"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func waits(ctx context.Context, dev *v.Device, ch *v.CompChannel, wcs []v.WC) error {
	none, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return err
	}
	defer none.Close()
	if _, err := none.Wait(ctx, wcs); err != nil { // want completion
		return err
	}
	one, err := dev.CreateCQ(1, ch, 0)
	if err != nil {
		return err
	}
	defer one.Close()
	_, err = one.Wait(ctx, wcs)
	either, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		either, err = dev.CreateCQ(1, ch, 0)
	}
	defer either.Close()
	_, err = either.Wait(ctx, wcs)
	return err
}

func unread(cq *v.CQ) (n uint32) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs) // want completion
	for _, wc := range wcs[:got] {
		n += wc.ByteLen
	}
	return n
}

func one(cq *v.CQ) uint32 {
	var wcs [1]v.WC
	_, _ = cq.PollInto(wcs[:]) // want completion
	return wcs[0].ImmData
}

func checked(cq *v.CQ) (n uint32) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs)
	for i := range wcs[:got] {
		if wc := &wcs[i]; wc.Err() == nil {
			n += wc.ByteLen
		}
	}
	return n
}

// drain needs nothing of them.
func drain(cq *v.CQ) (ids []uint64) {
	wcs := make([]v.WC, 4)
	got, _ := cq.PollInto(wcs)
	for _, wc := range wcs[:got] {
		ids = append(ids, wc.ID)
	}
	return ids
}

func handed(cq *v.CQ, check func(v.WC) error) (uint32, error) {
	wcs := make([]v.WC, 1)
	_, _ = cq.PollInto(wcs)
	return wcs[0].ByteLen, check(wcs[0])
}

func given(wc v.WC) uint32 { return wc.ByteLen }

func numbers(n int) {
	b, _ := v.NewSendBatch(1, 1)
	b.WR(3).Send(1) // want batch
	b.WR(0).Send(1)
	many, _ := v.NewRecvBatch(4, 1)
	many.WR(4).Recv(1) // want batch
	many.WR(3).Recv(1)
	some, _ := v.NewSendBatch(n, 1)
	some.WR(3).Send(1)
	grown, _ := v.NewSendBatch(1, 1)
	grown, _ = v.NewSendBatch(4, 1)
	grown.WR(3).Send(1)
}
`, own(t, "verbs"))
}

// TestFields finds handles in fields and those of parameters, in a package that does not call CloseAll.
func TestFields(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

type server struct {
	pd    *v.PD // the caller's
	cq    *v.CQ
	mr    *v.MR // want handle
	qp    *v.QP // want handle
	ah    *v.AH
	later *v.MR
	Open  *v.MR
}

func (s *server) start(attr v.AHAttr) (err error) {
	if s.mr, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	if s.Open, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	if s.later, err = s.pd.RegMR(make([]byte, 64), 0); err != nil {
		return err
	}
	s.ah, err = s.pd.CreateAH(attr)
	return err
}

func open(pd *v.PD, cq *v.CQ) (*server, error) {
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		return nil, err
	}
	return &server{pd: pd, cq: cq, qp: qp}, nil
}

func (s *server) Close() error {
	ah := s.ah
	if err := ah.Close(); err != nil {
		return err
	}
	return s.later.Close()
}

// end belongs to somebody who closes it.
type end struct{ mr *v.MR }

func (e *end) set(pd *v.PD) (err error) {
	e.mr, err = pd.RegMR(make([]byte, 64), 0)
	return err
}

func use(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0) // want handle
	if err != nil {
		return 0, err
	}
	return mr.LKey(), nil
}

func closed(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0)
	if err != nil {
		return 0, err
	}
	return mr.LKey(), mr.Close()
}

// Use leaves it to its callers, who may close all of the device.
func Use(pd *v.PD) (uint32, error) {
	mr, err := pd.RegMR(make([]byte, 64), 0)
	if err != nil {
		return 0, err
	}
	return mr.LKey(), nil
}
`, own(t, "verbs"))
}

// TestLeaks finds errors that leave a handle open, in a package that does not call CloseAll.
func TestLeaks(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func pair(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	qp, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		return nil, err
	}
	return cq, qp.Close()
}

func alone(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	n, err := dev.QueryPort(1)
	if err != nil {
		return nil, err // want leak
	}
	_ = n
	return cq, nil
}

func closes(dev *v.Device, pd *v.PD) (*v.CQ, error) {
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dev.QueryPort(1); err != nil {
		_ = cq.Close()
		return nil, err
	}
	return cq, nil
}
`, own(t, "verbs"))
}

// TestRequests follows requests in batches.
func TestRequests(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func Posted(pd *v.PD, cq *v.CQ, ah *v.AH, other func()) error {
	ud, err := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, SignalAll: true})
	if err != nil {
		return err
	}
	b, err := v.NewSendBatch(4, 2)
	if err != nil {
		return err
	}
	_ = ud.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	_, _ = ud.PostSend(b, 1) // want VR-ibv_post_send-ah-0354, VR-ibv_post_send-state-0357
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTR))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTS).SQPSN(0))
	_ = ah.Address(b.WR(0).Send(1), 1, 1)
	_, err = ud.PostSend(b, 1)
	b.WR(1).Write(2, 4096, 1). // want VR-ibv_post_send-opcode-0335
		Flags(v.SendSignaled) // want VR-ibv_post_send-send_flags-0342
	_, err = ud.PostSend(b, 1)
	_, err = ud.PostSend(b, 2)
	_, err = ud.PostSendRange(b.From(1, 1))
	other()
	b.WR(1).Send(2)
	_, err = ud.PostSend(b, 2)
	return err
}

func loop(qp *v.QP, b *v.SendBatch, mr *v.MR, n int, r uint64) {
	for i := range n {
		b.WR(i).Read(1, r, 1).SGE(0, 8, 1).
			Flags(v.SendInline) // want VR-ibv_post_send-send_flags-0344
		s, _ := mr.SGE(0, 4)
		b.WR(i).FetchAdd(1, 4, 1, 1). // want VR-ibv_post_send-remote_addr-0352
			Add(s) // want VR-ibv_post_send-length-0353
		b.WR(i).FetchAdd(1, r, 1, 1).Add(v.SGE{Addr: 1, Length: 8}).Flags(v.SendFence)
	}
	_, _ = qp.PostSend(b, n)
}

func Receives(pd *v.PD, cq *v.CQ, srq *v.SRQ, b *v.RecvBatch) {
	qp, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1})
	_ = qp.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	b.WR(0).Recv(1).SGE(0, 39, 1)
	_, _ = qp.PostRecv(b, 1) // want VR-ibv_post_recv-sg_list-0364
	_, _ = srq.PostRecv(b, 1)
	rc, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq})
	_, _ = rc.PostRecv(b, 1) // want VR-ibv_post_recv-state-0365
}
`, own(t, "verbs"))
}

// TestAll judges requests that a loop yields where they are built, and knows nothing of their batch afterwards.
func TestAll(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func All(pd *v.PD, cq *v.CQ, r uint64) {
	ud, _ := pd.CreateQP(v.QPInitAttr{Type: v.QPTypeUD, SendCQ: cq, RecvCQ: cq, SignalAll: true})
	_ = ud.Modify(v.NewQPAttr(v.QPStateInit).PKeyIndex(0).PortNum(1).QKey(1))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTR))
	_ = ud.Modify(v.NewQPAttr(v.QPStateRTS).SQPSN(0))
	b, _ := v.NewSendBatch(4, 2)
	b.WR(1).Write(2, 4096, 1)
	requests := b.All()
	for _, w := range requests {
		w.Send(1)
	}
	_, _ = ud.PostSend(b, 2)
	for i, w := range b.All() {
		w.Read(uint64(i), r, 1).SGE(0, 8, 1).
			Flags(v.SendInline) // want VR-ibv_post_send-send_flags-0344
	}
}
`, own(t, "verbs"))
}

// TestAdvanced does not judge requests that change after they were built.
func TestAdvanced(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func ring(qp *v.QP, b *v.SendBatch, n int) {
	for i := range n {
		b.WR(i).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1)
	}
	b.From(0, n).Advance(v.Stride{Remote: 4})
	_, _ = qp.PostSend(b, n)
}

func known(qp *v.QP, b *v.SendBatch) {
	b.WR(0).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1)
	b.From(0, 1).Advance(v.Stride{Remote: 4})
	_, _ = qp.PostSend(b, 1)
	b.WR(0).FetchAdd(1, 4, 1, 1).SGE(0, 8, 1) // want VR-ibv_post_send-remote_addr-0352
	_, _ = qp.PostSend(b, 1)
}
`, own(t, "verbs"))
}

// TestStreams follows requests to the functions of a stream of commands.
func TestStreams(t *testing.T) {
	wants(t, `package x

import v "github.com/verbsgen/verbsgen/gen/verbs"

func Streams(dev *v.Device, pd *v.PD, cq *v.CQ, b *v.SendBatch, hdr []byte) {
	qp, _ := dev.CreateQPEx(v.NewQPInitAttrEx(v.QPTypeUC, cq, cq, pd))
	s, _ := qp.Stream()
	b.WR(0).FetchAdd(1, 4, 1, 1) // want VR-ibv_wr_atomic_fetch_add-remote_addr-3120
	_, _ = s.Post(b, 1) // want VR-ibv_wr_atomic_fetch_add-qp_type-3102
	b.WR(0).Write(1, 4, 1)
	b.WR(1).SendTSO(1, hdr[:0], 1000)
	_, _ = s.Post(b, 1)
	_, _ = s.PostRange(b.From(1, 1)) // want VR-ibv_wr_send_tso-qp_type-3113
}
`, own(t, "verbs"))
}
