//go:build linux && cgo

package cases

import (
	"bytes"
	"encoding/binary"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// flushRequests are the cases of requests that only streams of commands post: writes of 8 bytes that are atomic, and flushes.
func flushRequests() []suite.Case {
	write := shared("ibv_wr_post", suite.QPEx, suite.Peer, suite.AtomicWrite)
	flush := shared("ibv_wr_post", suite.QPEx, suite.Peer, suite.Flush)
	return []suite.Case{
		write("CF-stream-0040", "an atomic WRITE of 8 bytes", atomicWrites(0)),
		write("CF-stream-0041", "an atomic WRITE that is not aligned, goes beside the region, or lacks a right", atomicWriteDenied),
		flush("CF-stream-0042", "a flush of a range and of a region, behind a WRITE", flushed(0)),
		flush("CF-stream-0043", "a flush beside the region, or to what the region or the queue pair has no right to", flushDenied),
		write("CF-stream-0044", "an atomic WRITE to a region that pages in on demand", atomicWrites(verbs.MRAccessOnDemand), suite.ODP),
		flush("CF-stream-0045", "a flush of a region that pages in on demand", flushed(verbs.MRAccessOnDemand), suite.ODP),
	}
}

// streamPair connects a pair whose near end posts streams. mr and qp are rights beside the usual ones, ops what is asked for beside WRITE.
func streamPair(t *suite.T, ops verbs.QPOp, mr verbs.MRAccess, qp verbs.QPAccess) (*pair, *verbs.QPStream) {
	cfg := patient()
	cfg.Ops, cfg.MR, cfg.QP = verbs.QPOpRDMAWrite|ops, cfg.MR|mr, cfg.QP|qp
	return streamOf(connect(t, cfg))
}

func streamOf(p *pair) (*pair, *verbs.QPStream) { return p, must(p.near.QP.Stream())(p.t) }

// streamed posts the first n requests, and checks that each completes.
func (p *pair) streamed(s *verbs.QPStream, what string, opcodes ...verbs.WCOpcode) {
	p.toStream(s, len(opcodes))
	wcs := p.wait(p.near, len(opcodes))
	for i, opcode := range opcodes {
		p.ended(what, wcs, i, uint64(i), verbs.WCStatusSuccess)
		if wcs[i].Status == verbs.WCStatusSuccess && wcs[i].Opcode != opcode {
			p.t.Errorf("%s: request %d completed as %v, want %v", what, i, wcs[i].Opcode, opcode)
		}
	}
}

func (p *pair) toStream(s *verbs.QPStream, n int) { whole(p.t, "a post", n)(s.Post(p.send, n)) }

// atomicWrites writes numbers one behind the other, and each over the one before.
func atomicWrites(more verbs.MRAccess) func(*suite.T) {
	return func(t *suite.T) {
		p, s := streamPair(t, verbs.QPOpAtomicWrite, more, 0)
		for _, v := range []uint64{1, 0x0102030405060708, 1<<64 - 1, 0} {
			p.send.WR(0).AtomicWrite(0, p.at(), p.far.MR.RKey(), v).Flags(verbs.SendSignaled)
			p.send.WR(1).AtomicWrite(1, p.at()+64, p.far.MR.RKey(), v+1).Flags(verbs.SendSignaled)
			p.streamed(s, "an atomic WRITE", verbs.WCOpcodeAtomicWrite, verbs.WCOpcodeAtomicWrite)
			is(t, "the first in memory", binary.NativeEndian.Uint64(p.far.Buf), v)
			is(t, "the second in memory", binary.NativeEndian.Uint64(p.far.Buf[64:]), v+1)
		}
		holds(t, "between both", p.far.Buf[8:64], bytes.Repeat([]byte{0x5a}, 56))
	}
}

// refusedByPeer posts a request that the far end denies, and looks whether anything was written.
func refusedByPeer(t *suite.T, what string, cfg link.Config, status verbs.WCStatus, fill func(p *pair, w verbs.SendWR)) {
	p, s := streamOf(connect(t, cfg))
	fill(p, p.send.WR(0))
	p.send.WR(0).Flags(verbs.SendSignaled)
	p.toStream(s, 1)
	p.ended(what, p.wait(p.near, 1), 0, 1, status)
	p.in("the queue pair", p.near, verbs.QPStateErr)
	p.untouched()
}

func atomicWriteDenied(t *suite.T) {
	usual := patient()
	usual.Ops = verbs.QPOpAtomicWrite
	noMR, noQP := usual, usual
	noMR.MR, noQP.QP = noRemoteWrite, qpNoWrite
	to := func(offset uint64) func(*pair, verbs.SendWR) {
		return func(p *pair, w verbs.SendWR) { w.AtomicWrite(1, p.at()+offset, p.far.MR.RKey(), 5) }
	}
	refusedByPeer(t, "not aligned", usual, verbs.WCStatusRemInvReqErr, to(4))
	refusedByPeer(t, "behind the region", usual, verbs.WCStatusRemAccessErr, to(link.Size))
	refusedByPeer(t, "a region without REMOTE_WRITE", noMR, verbs.WCStatusRemAccessErr, to(0))
	refusedByPeer(t, "a queue pair without REMOTE_WRITE", noQP, verbs.WCStatusRemInvReqErr, to(0))
}

// flushed writes, and flushes what was written, then all of the region: then address and length are of no account.
func flushed(more verbs.MRAccess) func(*suite.T) {
	return func(t *suite.T) {
		p, s := streamPair(t, verbs.QPOpFlush, verbs.MRAccessFlushGlobal|more, verbs.QPAccessFlushGlobal)
		for round := range rounds {
			key := p.far.MR.RKey()
			fill(p.near.Buf[:8], round)
			p.local(p.send.WR(0).Write(0, p.at(), key)).Flags(verbs.SendSignaled)
			p.send.WR(1).Flush(1, p.at(), key, 8, verbs.FlushGlobal, verbs.FlushRange).Flags(verbs.SendSignaled)
			p.send.WR(2).Flush(2, uint64(round), key, uint64(round)<<20, verbs.FlushGlobal, verbs.FlushMR).Flags(verbs.SendSignaled)
			p.streamed(s, "a WRITE and its flush", verbs.WCOpcodeRDMAWrite, verbs.WCOpcodeFlush, verbs.WCOpcodeFlush)
			holds(t, "a WRITE that was flushed", p.far.Buf[:8], p.near.Buf[:8])
		}
	}
}

func flushDenied(t *suite.T) {
	usual := patient()
	usual.Ops, usual.MR, usual.QP = verbs.QPOpFlush, usual.MR|verbs.MRAccessFlushGlobal, usual.QP|verbs.QPAccessFlushGlobal
	noMR, noQP, persistent := usual, usual, usual
	noMR.MR &^= verbs.MRAccessFlushGlobal
	noQP.QP &^= verbs.QPAccessFlushGlobal
	persistent.QP |= verbs.QPAccessFlushPersistent
	flush := func(offset uint64, typ verbs.PlacementType) func(*pair, verbs.SendWR) {
		return func(p *pair, w verbs.SendWR) { w.Flush(1, p.at()+offset, p.far.MR.RKey(), 8, typ, verbs.FlushRange) }
	}
	refusedByPeer(t, "behind the region", usual, verbs.WCStatusRemAccessErr, flush(link.Size, verbs.FlushGlobal))
	refusedByPeer(t, "a region without FLUSH_GLOBAL", noMR, verbs.WCStatusRemAccessErr, flush(0, verbs.FlushGlobal))
	refusedByPeer(t, "a queue pair without FLUSH_GLOBAL", noQP, verbs.WCStatusRemInvReqErr, flush(0, verbs.FlushGlobal))
	refusedByPeer(t, "to persistence, of a region without FLUSH_PERSISTENT", persistent, verbs.WCStatusRemAccessErr,
		flush(0, verbs.FlushPersistent))
}
