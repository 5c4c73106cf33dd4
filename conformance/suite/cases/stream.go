//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// streams are the cases of extended queue pairs, to which requests are posted as streams of commands.
func streams() []suite.Case {
	post := shared("ibv_wr_post", suite.QPEx, suite.Peer)
	return []suite.Case{
		of("CF-stream-0001", "each kind of request alone, by kind of queue pair", "ibv_create_qp_ex", eachOp, suite.QPEx),
		of("CF-stream-0002", "no stream of a queue pair that was asked for nothing", "ibv_create_qp_ex", noStream, suite.QPEx),
		post("CF-stream-0010", "messages of every length, both ways", streamed(far.RC, messages)),
		post("CF-stream-0011", "messages with immediate data, both ways", streamed(far.RC, immediate)),
		post("CF-stream-0012", "RDMA WRITE and READ of every length", streamed(far.RC, writeRead)),
		post("CF-stream-0013", "RDMA WRITE with immediate data, both ways", streamed(far.RC, writeImm)),
		post("CF-stream-0014", "atomics on the other end's memory", streamed(far.RC, atomicRequests), suite.Atomics),
		post("CF-stream-0015", "inline data is taken while posting, from memory that is not registered", streamed(far.RC, inline)),
		post("CF-stream-0016", "an unreliable connection: messages and RDMA WRITE", streamed(far.UC, unreliable)),
		post("CF-stream-0017", "datagrams by an address handle, both ways", streamed(far.UD, datagrams)),
		post("CF-stream-0018", "gathered from three places of one length", gatheredFrom(4, 4, 4)),
		post("CF-stream-0019", "gathered from three places of three lengths", gatheredFrom(5, 3, 4)),
		post("CF-stream-0020", "requests of all kinds in one stream: carried out and completed in order", oneStream, suite.Atomics),
		post("CF-stream-0021", "completions of signaled requests only", someSignaled),
		post("CF-stream-0022", "a stream and a plain post in turns", streamAndPost),
		of("CF-stream-0023", "read with an extended completion queue", "ibv_wr_post", streamAndRead, suite.QPEx, suite.CQEx, suite.Peer),
		post("CF-stream-0030", "a stream with a request that was not asked for posts nothing", notAskedOp),
		post("CF-stream-0031", "a stream beyond the capacity posts nothing", beyondCapacity),
		post("CF-stream-0032", "a stream with too much inline data posts nothing", beyondInline),
		post("CF-stream-0033", "a datagram without an address, or to a closed one, posts nothing", noAddress),
		post("CF-stream-0034", "a request that fails ends those behind it", failedInStream),
		post("CF-stream-0035", "in states that do not send, and after Close", streamStates),
	}
}

// Requests that are asked for by kind of queue pair.
const (
	ucOps = verbs.QPOpSend | verbs.QPOpSendWithImm | verbs.QPOpRDMAWrite | verbs.QPOpRDMAWriteWithImm
	udOps = verbs.QPOpSend | verbs.QPOpSendWithImm
	rcOps = ucOps | verbs.QPOpRDMARead
)

// opsOf are what a queue pair is asked for.
func opsOf(t *suite.T, kind far.Kind) verbs.QPOp {
	switch {
	case kind == far.UD:
		return udOps
	case kind == far.UC:
		return ucOps
	case t.Has(suite.Atomics):
		return rcOps | verbs.QPOpAtomicCmpAndSwp | verbs.QPOpAtomicFetchAndAdd
	}
	return rcOps
}

// streamed shows something on a near queue pair that posts streams.
func streamed(kind far.Kind, show func(n *near)) func(*suite.T) {
	return func(t *suite.T) { show(streamNear(t, kind, opsOf(t, kind))) }
}

// streamNear makes a near queue pair that posts streams of the given requests, connected to another end.
func streamNear(t *suite.T, kind far.Kind, ops verbs.QPOp) *near {
	n := bareStreamNear(t, kind, ops, must(t.Device().CreateCQ(4*depth, nil, 0))(t), newCQ(t))
	n.link = t.Connect(n.qp, kind, t.Access(kind))
	return n
}

// bareStreamNear makes one that is in RESET.
func bareStreamNear(t *suite.T, kind far.Kind, ops verbs.QPOp, sends, recvs *verbs.CQ) *near {
	n := &near{t: t, pd: newPD(t), sends: sends, recvs: recvs}
	n.with(must(t.Device().CreateQPEx(streamAttr(n, kind).SendOps(ops)))(t))
	n.stream = must(n.qp.Stream())(t)
	return n
}

func streamAttr(n *near, kind far.Kind) *verbs.QPInitAttrEx {
	return verbs.NewQPInitAttrEx(types[kind], n.sends, n.recvs,
		n.pd).MaxSendWR(depth).MaxRecvWR(depth).MaxSendSGE(3).MaxRecvSGE(3).MaxInlineData(inlineBytes)
}

func eachOp(t *suite.T) {
	n := &near{t: t, pd: newPD(t), sends: must(t.Device().CreateCQ(1, nil, 0))(t)}
	n.recvs = n.sends
	offered := map[far.Kind]verbs.QPOp{far.RC: opsOf(t, far.RC), far.UC: ucOps, far.UD: udOps}
	for _, kind := range []far.Kind{far.RC, far.UC, far.UD} {
		for _, op := range []verbs.QPOp{verbs.QPOpSend, verbs.QPOpSendWithImm, verbs.QPOpRDMAWrite, verbs.QPOpRDMAWriteWithImm,
			verbs.QPOpRDMARead,
			verbs.QPOpAtomicCmpAndSwp, verbs.QPOpAtomicFetchAndAdd, offered[kind]} {
			what := fmt.Sprintf("%s, %v", kind, op)
			qp, err := t.Device().CreateQPEx(streamAttr(n, kind).SendOps(op))
			if t.Saw(what, err); err != nil {
				if op&^offered[kind] == 0 || !errors.Is(err, syscall.EOPNOTSUPP) {
					t.Errorf("%s: %v", what, err)
				}
				continue
			}
			belongs(t, what, qp, n.pd)
			if s, err := qp.Stream(); s == nil || err != nil {
				t.Errorf("%s: no stream: %v", what, err)
			}
			t.OK("Close", qp.Close())
		}
	}
}

func noStream(t *suite.T) {
	n := &near{t: t, pd: newPD(t), sends: must(t.Device().CreateCQ(1, nil, 0))(t)}
	n.recvs = n.sends
	plain := must(n.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: n.sends, RecvCQ: n.recvs, MaxSendWR: 1, MaxSendSGE: 1}))(t)
	extended := must(t.Device().CreateQPEx(streamAttr(n, far.RC)))(t)
	for what, qp := range map[string]*verbs.QP{"a plain one": plain, "one that was asked for nothing": extended} {
		if s, err := qp.Stream(); s != nil || !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Errorf("%s: a stream, or %v", what, err)
		}
	}
	create := func(kind far.Kind, op verbs.QPOp) error {
		return errorOf(t.Device().CreateQPEx(streamAttr(n, kind).SendOps(op)))
	}
	t.Errno("READ of datagrams", create(far.UD, verbs.QPOpRDMARead), syscall.EOPNOTSUPP, syscall.EINVAL)
	t.Errno("atomics of an unreliable connection", create(far.UC, verbs.QPOpAtomicFetchAndAdd), syscall.EOPNOTSUPP, syscall.EINVAL)
	inUse(t, n.pd.Close(), "QP")
}

// gatheredFrom sends a message from places of some lengths. It ends when the request fails.
func gatheredFrom(lengths ...int) func(*suite.T) {
	return func(t *suite.T) {
		n := streamNear(t, far.RC, opsOf(t, far.RC))
		w, want := n.send.WR(0).Send(1).Flags(verbs.SendSignaled), ""
		for i, length := range lengths {
			at := 3000*i + 10
			fill(n.buf[at:at+length], i)
			want += string(n.buf[at : at+length])
			w.Add(n.sge(at, length))
		}
		n.farRoom(64)
		n.post(1)
		wc := n.next(n.sends)
		if wc.ID != 1 || wc.Status != 0 {
			t.Fatalf("gathered: completed with status %d (%s)", wc.Status, suite.StatusName(wc.Status))
		}
		is(t, "received", string(n.farGot("gathered").Data), want)
	}
}

// oneStream has each request depend on those before it.
func oneStream(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	text := []byte("inline")
	base, rkey, all := n.link.To.Base, n.link.To.RKey, verbs.SendSignaled
	n.farStore(0, make([]byte, 64))
	for range 3 {
		n.farRoom(64)
	}
	copy(n.buf, "\x05\x00\x00\x00\x00\x00\x00\x00one message")
	n.send.WR(0).Write(0, base, rkey).Add(n.sge(0, 8)).Flags(all)
	n.send.WR(1).FetchAdd(1, base, rkey, 10).Add(n.sge(64, 8)).Flags(all)
	n.send.WR(2).CompareSwap(2, base, rkey, 15, 99).Add(n.sge(72, 8)).Flags(all)
	n.send.WR(3).Read(3, base, rkey).Add(n.sge(80, 8)).Flags(all)
	n.send.WR(4).Send(4).Add(n.sge(8, 11)).Flags(all)
	n.send.WR(5).SendImm(5, 6).SGE(uint64(addressOf(text)), uint32(len(text)), 0).Flags(all | verbs.SendInline)
	n.send.WR(6).WriteImm(6, base+16, rkey, 7).Add(n.sge(8, 3)).Flags(all)
	n.send.WR(7).Write(7, base+32, rkey).Flags(all) // of nothing
	n.post(8)
	for i, op := range []verbs.WCOpcode{verbs.WCOpcodeRDMAWrite, verbs.WCOpcodeFetchAdd, verbs.WCOpcodeCompSwap, verbs.WCOpcodeRDMARead,
		verbs.WCOpcodeSend, verbs.WCOpcodeSend, verbs.WCOpcodeRDMAWrite, verbs.WCOpcodeRDMAWrite} {
		n.finished(fmt.Sprintf("request %d", i), uint64(i), op)
	}
	is(t, "fetched twice, and read", [3]byte{n.buf[64], n.buf[72], n.buf[80]}, [3]byte{5, 15, 99})
	for i, want := range []far.Received{{Data: []byte("one message")}, {Data: []byte("inline"), WithImm: true, Imm: 6},
		{WithImm: true, Imm: 7, Length: 3}} {
		r := n.farGot("a message")
		if want.Data != nil && string(r.Data) != string(want.Data) || r.WithImm != want.WithImm || r.Imm != want.Imm ||
			want.Data == nil && r.Length != want.Length {
			t.Errorf("message %d: %+v", i, r)
		}
	}
	n.farHas("written", 16, []byte("one\x00"))
}

func someSignaled(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	for round := range 3 * depth / 8 {
		n.writes(uint64(8*round), 8, 0)
		n.send.WR(3).Flags(verbs.SendSignaled)
		n.send.WR(7).Flags(verbs.SendSignaled)
		n.post(8)
		n.finished("the fourth request", uint64(8*round+3), verbs.WCOpcodeRDMAWrite)
		n.finished("the eighth request", uint64(8*round+7), verbs.WCOpcodeRDMAWrite)
	}
	n.idle("after the last")
}

// idle checks that no completion is there.
func (n *near) idle(what string) { idle(n.t, what, n.sends, n.recvs) }

func idle(t *suite.T, what string, queues ...*verbs.CQ) {
	for _, cq := range queues {
		wcs := make([]verbs.WC, 1)
		if got, err := cq.PollInto(wcs); got != 0 || err != nil {
			t.Errorf("%s: %d completions, %+v, %v", what, got, wcs[:got], err)
		}
	}
}

func streamAndPost(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	stream := n.stream
	for round := range 8 {
		n.stream = stream
		if round%2 == 1 {
			n.stream = nil
		}
		fill(n.buf[:24], round)
		n.writes(uint64(3*round), 3, verbs.SendSignaled)
		n.post(3)
		for i := range 3 {
			n.finished(fmt.Sprintf("round %d", round), uint64(3*round+i), verbs.WCOpcodeRDMAWrite)
		}
		n.farHas("written", 0, n.buf[:24])
	}
}

func streamAndRead(t *suite.T) {
	n := bareStreamNear(t, far.RC, opsOf(t, far.RC), extendedCQ(t, allStandard, 0), extendedCQ(t, allStandard, 0)).reads(allStandard)
	n.link = t.Connect(n.qp, far.RC, t.Access(far.RC))
	immediate(n)
}

// refusesStream posts a stream that is refused, for which no completion comes.
func (n *near) refusesStream(what string, count int, words string, set ...error) {
	posted, err := n.stream.Post(n.send, count)
	is(n.t, what+": requests posted", posted, 0)
	failsNaming(n.t, what, err, words, set...)
	n.idle(what)
}

// postsNothing does so, and looks whether the other end's memory is as before.
func (n *near) postsNothing(what string, count int, words string, set ...error) {
	n.farStore(0, make([]byte, 8*depth))
	n.refusesStream(what, count, words, set...)
	n.farHas(what, 0, make([]byte, 8*depth))
}

// works posts as many WRITEs as the queue pair was asked to take, so that it shows whether others lie before them.
func (n *near) works() {
	fill(n.buf[:8*depth], 3)
	n.writes(1000, depth, verbs.SendSignaled)
	n.post(depth)
	for i := range uint64(depth) {
		if wc := n.next(n.sends); wc.ID != 1000+i || wc.Status != 0 || wc.Opcode != verbs.WCOpcodeRDMAWrite {
			n.t.Fatalf("afterwards: %+v, want id %d", wc, 1000+i)
		}
	}
	n.farHas("afterwards", 0, n.buf[:8*depth])
	n.idle("afterwards")
}

func notAskedOp(t *suite.T) {
	n := streamNear(t, far.RC, verbs.QPOpRDMAWrite|verbs.QPOpSend)
	fill(n.buf[:64], 1)
	for at := range 3 {
		n.writes(0, 3, verbs.SendSignaled)
		n.send.WR(at).Read(uint64(at), n.link.To.Base, n.link.To.RKey).Add(n.sge(512, 8)).Flags(verbs.SendSignaled)
		n.postsNothing(fmt.Sprintf("a READ as request %d", at), 3,
			fmt.Sprintf("request %d is a RDMA_READ: this QP was not asked for RDMA_READ", at), syscall.EINVAL)
		n.send.WR(at).SendImm(uint64(at), 1).Add(n.sge(512, 8)).Flags(verbs.SendSignaled)
		n.postsNothing(fmt.Sprintf("immediate data as request %d", at), 3, "SEND_WITH_IMM", syscall.EINVAL)
	}
	n.works()
}

func beyondCapacity(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	small := n.send
	n.send = must(verbs.NewSendBatch(1024, 1))(t) // no device here gives so many to who asks for 32
	fill(n.buf[:8*depth], 1)
	for i := range 1024 {
		at := 8 * (i % depth)
		n.send.WR(i).Write(uint64(i), n.link.To.Base+uint64(at), n.link.To.RKey).Add(n.sge(at, 8)).Flags(verbs.SendSignaled)
	}
	n.postsNothing("1024 requests", 1024, "ibv_wr_start", syscall.ENOMEM, syscall.ENOSPC)
	t.OK("closing a batch", n.send.Close())
	n.send = must(verbs.NewSendBatch(2, 64))(t)
	n.writes(0, 2, verbs.SendSignaled)
	for range 63 {
		n.send.WR(1).Add(n.sge(0, 8))
	}
	n.postsNothing("64 pieces", 2, "ibv_wr_start", syscall.ENOMEM, syscall.ENOSPC)
	t.OK("closing a batch", n.send.Close())
	n.send = small
	n.works()
}

func beyondInline(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	large := make([]byte, 1<<14)
	n.writes(0, 3, verbs.SendSignaled)
	n.send.WR(1).Write(1, n.link.To.Base, n.link.To.RKey).SGE(uint64(addressOf(large)), uint32(len(large)),
		0).Flags(verbs.SendSignaled | verbs.SendInline)
	n.postsNothing("16 KiB inline", 3, "ibv_wr_start", syscall.ENOMEM, syscall.ENOSPC, syscall.EINVAL)
	n.works()
}

func noAddress(t *suite.T) {
	n := streamNear(t, far.UD, udOps)
	ah := must(n.pd.CreateAH(t.Port().Way(n.link.To)))(t)
	to := func(i int) {
		need(t, ah.Address(n.send.WR(i).Send(uint64(i)).Add(n.sge(0, 8)).Flags(verbs.SendSignaled), n.link.To.QPN, n.link.To.QKey))
	}
	to(0)
	to(2)
	n.send.WR(1).Send(1).Add(n.sge(0, 8))
	n.refusesStream("without an address", 3, "request 1", syscall.EINVAL)
	to(1)
	n.farRoom(64)
	n.post(1)
	n.finished("a datagram", 0, verbs.WCOpcodeSend)
	n.farGot("a datagram")
	t.OK("Close of the address handle", ah.Close())
	n.refusesStream("to an address that is closed", 3, "request 0", os.ErrClosed)
}

func failedInStream(t *suite.T) {
	n := streamNear(t, far.RC, opsOf(t, far.RC))
	n.writes(0, 4, verbs.SendSignaled)
	n.denied(1)
	n.post(4)
	want := statuses{verbs.WCStatusSuccess, verbs.WCStatusRemAccessErr, verbs.WCStatusWRFlushErr, verbs.WCStatusWRFlushErr}
	for id, status := range want {
		wc := n.next(n.sends)
		if t.Status(fmt.Sprintf("request %d", id), wc.Status, status); wc.ID != uint64(id) || wc.QPNum != n.qp.Num() {
			t.Errorf("request %d: %+v", id, wc)
		}
	}
	n.writes(4, 2, 0)
	n.post(2)
	for id := range uint64(2) {
		if wc := n.next(n.sends); wc.ID != 4+id || wc.Status != verbs.WCStatusWRFlushErr {
			t.Errorf("posted after: %+v", wc)
		}
	}
}

// streamStates leaves the queue pair behind in INIT, as some devices keep the request then, and carry it out in RTS.
func streamStates(t *suite.T) {
	n := bareStreamNear(t, far.RC, opsOf(t, far.RC), newCQ(t), newCQ(t))
	post := func(what string) {
		n.send.WR(0).Send(1).Add(n.sge(0, 8)).Flags(verbs.SendSignaled)
		t.Errno(what, errorOf(n.stream.Post(n.send, 1)), syscall.EINVAL, syscall.ENOMEM)
		n.idle(what)
	}
	post("in RESET")
	t.OK("INIT", t.Port().Init(n.qp, far.RC, verbs.QPAccessRemoteWrite))
	post("in INIT")
	t.OK("Close", n.qp.Close())
	none(t, "after Close", os.ErrClosed)(n.stream.Post(n.send, 1))
	fails(t, "a stream of a closed queue pair", errorOf(n.qp.Stream()), os.ErrClosed)
}
