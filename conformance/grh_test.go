//go:build linux && cgo

package conformance

import (
	"encoding/binary"
	"errors"
	"reflect"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestParseGRH reads headers of both versions, and takes nothing that is neither.
func TestParseGRH(t *testing.T) {
	from, to := verbs.GID{0: 0xfe, 1: 0x80, 15: 1}, verbs.GID{0: 0xfe, 1: 0x80, 15: 2}
	v6 := append([]byte{0x6a, 0xb1, 0x23, 0x45, 0, 7, 0x1b, 64}, append(from[:], to[:]...)...)
	want := verbs.GRH{Version: 6, TrafficClass: 0xab, FlowLabel: 0x12345, PayloadLen: 7, NextHeader: 0x1b, HopLimit: 64, SGID: from, DGID: to}
	if got, err := verbs.ParseGRH(v6); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	v4 := make([]byte, verbs.GRHSize)
	copy(v4[20:], []byte{0x45, 0x20, 0, 30, 0, 0, 0, 0, 9, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2})
	want = verbs.GRH{Version: 4, TrafficClass: 0x20, PayloadLen: 10, NextHeader: 17, HopLimit: 9,
		SGID: verbs.GID{10: 0xff, 11: 0xff, 12: 10, 15: 1}, DGID: verbs.GID{10: 0xff, 11: 0xff, 12: 10, 15: 2}}
	if got, err := verbs.ParseGRH(v4); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	v4[0] = 0x60 // what is before an IPv4 header may be anything
	if got, err := verbs.ParseGRH(v4); err != nil || got.Version != 6 {
		t.Errorf("with a wrong checksum: %+v, %v", got, err)
	}
	sum := uint32(0)
	for i := 20; i < 40; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(v4[i:]))
	}
	binary.BigEndian.PutUint16(v4[30:], ^uint16(sum>>16+sum))
	if got, err := verbs.ParseGRH(v4); err != nil || got.Version != 4 || got.SGID != want.SGID {
		t.Errorf("with the right checksum: %+v, %v", got, err)
	}
	for _, bad := range [][]byte{nil, v6[:39], make([]byte, 40)} {
		if got, err := verbs.ParseGRH(bad); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%x: %+v, %v", bad, got, err)
		}
	}
}

// TestAnswerOfReader answers a datagram by the entry of a reader, and reads the header of the datagram.
func TestAnswerOfReader(t *testing.T) {
	c := link.Default()
	c.Type = verbs.QPTypeUD
	dev := open(t).dev
	a, b := c.Connected(t, dev, dev)
	way, _ := a.Way(b)
	ah := must(a.PD.CreateAH(way))(t)
	b.Recv(t, 7, 0, 100)
	a.Do(t, func(w verbs.SendWR) {
		must(0, ah.Address(w.Send(1).Add(a.MR.UncheckedSGE(0, 8)), b.QP.Num(), c.QKey))(t)
	})
	wc := must(b.Wait())(t)
	grh := must(verbs.ParseGRH(b.Buf))(t)
	if mine := must(dev.QueryGID(1, int(way.SGIDIndex)))(t); grh.SGID != mine || grh.DGID != way.DGID {
		t.Errorf("from %v to %v, not from %v to %v", grh.SGID, grh.DGID, mine, way.DGID)
	}
	entry := verbs.WCEx{ID: wc.ID, Status: wc.Status, Opcode: wc.Opcode, ByteLen: wc.ByteLen, QPNum: wc.QPNum, SrcQP: wc.SrcQP,
		Flags: wc.Flags, SLID: uint32(wc.SLID), SL: wc.SL, DLIDPathBits: wc.DLIDPathBits}
	wc.ImmData, wc.PKeyIndex = 0, 0
	if *entry.WC() != wc {
		t.Errorf("%+v, not %+v", *entry.WC(), wc)
	}
	if _, err := b.PD.CreateAHFromWC(entry.WC(), b.Buf, 1); err != nil {
		t.Error(err)
	}
}
