//go:build linux && cgo

package oncard

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// newSender makes a queue pair that sends frames.
func newSender(t *testing.T, dev *verbs.Device) *link.End {
	t.Helper()
	e := link.Bare(t, dev, verbs.MRAccessLocalWrite)
	e.QP = must(e.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, SendCQ: e.CQ, RecvCQ: e.CQ, MaxSendWR: 4, MaxSendSGE: 1}))(t)
	must(0, (verbs.RawPacketSetup{PortNum: 1}).ToRTS(e.QP))(t)
	return e
}

// receiver makes a queue pair of raw packets with one receive, and no flow or rule yet.
func receiver(t *testing.T, dev *verbs.Device) *link.End {
	t.Helper()
	e := link.Bare(t, dev, verbs.MRAccessLocalWrite)
	e.QP = must(e.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, SendCQ: e.CQ, RecvCQ: e.CQ, MaxRecvWR: 4, MaxRecvSGE: 1}))(t)
	must(0, (verbs.RawPacketSetup{PortNum: 1}).ToRTS(e.QP))(t)
	e.Recv(t, 7, 0, link.Size)
	return e
}

// completion waits for one of a queue.
func completion(t *testing.T, cq *verbs.CQ) verbs.WC {
	t.Helper()
	return must(verbstest.Wait(cq, 1))(t)[0]
}

func sendFrame(t *testing.T, s *link.End, frame []byte) {
	t.Helper()
	n := uint32(copy(s.Buf, frame))
	succeeds(t, s, func(w verbs.SendWR) { w.Send(1).Add(s.MR.UncheckedSGE(0, n)) })
}

// udp is a frame of IPv4 and UDP.
func udp(src uint32, sport, dport uint16) []byte {
	b := []byte{2, 0, 0, 0, 0, 0xb, 2, 0, 0, 0, 0, 0xa, 8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0}
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, src), 161<<24|142<<16|100<<8|80)
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, sport), dport)
	return append(b, 0, 8, 0, 0)
}

// TestSpread sends frames to a queue pair over a table of work queues. The first is of the examples that Microsoft publishes for
// receive-side scaling: the hash from 66.9.149.187:2794 to 161.142.100.80:1766 is 0x51ccc178.
func TestSpread(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("raw packets need root")
	}
	s, dev := newSender(t, open(t, card.Devices[0])), open(t, card.Devices[1])
	e := link.Bare(t, dev, verbs.MRAccessLocalWrite)
	pd, cq, buf := e.PD, e.CQ, e.Buf
	batch := must(verbs.NewRecvBatch(2, 1))(t)
	defer batch.Close()
	var wqs []*verbs.WQ
	for i := range 2 {
		wq := must(dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(2).MaxSGE(1)))(t)
		must(0, wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy)))(t)
		for k := range 2 {
			batch.WR(k).Recv(uint64(10*i + k)).Add(e.MR.UncheckedSGE(uint64(1024*i+512*k), 512))
		}
		must(wq.PostRecv(batch, 2))(t)
		wqs = append(wqs, wq)
	}
	key := []byte{
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	}
	// 0x51ccc178 is entry 8 of 16; all but that are of the other queue
	entries := make([]*verbs.WQ, 16)
	for i := range entries {
		entries[i] = wqs[1]
	}
	entries[8] = wqs[0]
	table := must(dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr(entries)))(t)
	fields := verbs.RXHashFieldSrcIPv4 | verbs.RXHashFieldDstIPv4 | verbs.RXHashFieldSrcPortUDP | verbs.RXHashFieldDstPortUDP
	qp := must(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, nil, nil, pd).RWQIndTbl(table).
		RXHashConf(verbs.RXHashConf{Function: verbs.RXHashFuncToeplitz, Key: key, Fields: fields})))(t)
	must(qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(&verbs.FlowSpecUDP{})))(t)

	sendFrame(t, s, udp(66<<24|9<<16|149<<8|187, 2794, 1766))
	if wc := completion(t, cq); wc.ID != 0 || wc.Err() != nil || wc.ByteLen != 42 || string(buf[:6]) != "\x02\x00\x00\x00\x00\x0b" {
		t.Errorf("the frame of entry 8: %+v, %x", wc, buf[:42])
	}
	sendFrame(t, s, udp(66<<24|9<<16|149<<8|188, 2794, 1766))
	if wc := completion(t, cq); wc.ID != 10 || wc.Err() != nil {
		t.Errorf("the frame of another entry: %+v", wc)
	}
	must(0, wqs[1].Modify(verbs.NewWQAttr().State(verbs.WQStateErr)))(t)
	if wc := completion(t, cq); wc.ID != 11 || wc.Status != verbs.WCStatusWRFlushErr {
		t.Errorf("the receive that was left: %+v", wc)
	}
	if err := errors.Join(dev.CloseAll(), s.QP.CloseAll()); err != nil {
		t.Error(err)
	}
}
