//go:build linux && cgo

package oncard

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// sender is a queue pair that sends frames.
type sender struct {
	cq  *verbs.CQ
	qp  *verbs.QP
	mr  *verbs.MR
	buf []byte
}

func newSender(t *testing.T, dev *verbs.Device) *sender {
	t.Helper()
	pd := must(dev.AllocPD())(t)
	s := &sender{cq: must(dev.CreateCQ(16, nil, 0))(t), buf: make([]byte, 4096)}
	s.mr = must(pd.RegMR(s.buf, verbs.MRAccessLocalWrite))(t)
	s.qp = must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 4, MaxSendSGE: 1}))(t)
	if err := (verbs.RawPacketSetup{PortNum: 1}).ToRTS(s.qp); err != nil {
		t.Fatal(err)
	}
	return s
}

// completion waits for one of a queue.
func completion(t *testing.T, cq *verbs.CQ) verbs.WC {
	t.Helper()
	var wcs [1]verbs.WC
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if must(cq.PollInto(wcs[:]))(t) == 1 {
			return wcs[0]
		}
	}
	t.Fatal("no completion")
	return verbs.WC{}
}

func (s *sender) send(t *testing.T, frame []byte) {
	t.Helper()
	batch := must(verbs.NewSendBatch(1, 1))(t)
	defer batch.Close()
	copy(s.buf, frame)
	batch.WR(0).Send(1).Add(s.mr.UncheckedSGE(0, uint32(len(frame)))).Flags(verbs.SendSignaled)
	must(s.qp.PostSend(batch, 1))(t)
	if wc := completion(t, s.cq); wc.Err() != nil {
		t.Fatal(wc.Err())
	}
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
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	buf := make([]byte, 4096)
	mr := must(pd.RegMR(buf, verbs.MRAccessLocalWrite))(t)
	batch := must(verbs.NewRecvBatch(2, 1))(t)
	defer batch.Close()
	var wqs []*verbs.WQ
	for i := range 2 {
		wq := must(dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(2).MaxSGE(1)))(t)
		if err := wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy)); err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			batch.WR(k).Recv(uint64(10*i + k)).Add(mr.UncheckedSGE(uint64(1024*i+512*k), 512))
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

	s.send(t, udp(66<<24|9<<16|149<<8|187, 2794, 1766))
	if wc := completion(t, cq); wc.ID != 0 || wc.Err() != nil || wc.ByteLen != 42 || string(buf[:6]) != "\x02\x00\x00\x00\x00\x0b" {
		t.Errorf("the frame of entry 8: %+v, %x", wc, buf[:42])
	}
	s.send(t, udp(66<<24|9<<16|149<<8|188, 2794, 1766))
	if wc := completion(t, cq); wc.ID != 10 || wc.Err() != nil {
		t.Errorf("the frame of another entry: %+v", wc)
	}
	if err := wqs[1].Modify(verbs.NewWQAttr().State(verbs.WQStateErr)); err != nil {
		t.Fatal(err)
	}
	if wc := completion(t, cq); wc.ID != 11 || wc.Status != verbs.WCStatusWRFlushErr {
		t.Errorf("the receive that was left: %+v", wc)
	}
	if err := errors.Join(dev.CloseAll(), s.qp.CloseAll()); err != nil {
		t.Error(err)
	}
}
