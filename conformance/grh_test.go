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
	"github.com/verbsgen/verbsgen/runtime/softverbs"
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

// TestAnswerByIPv4 describes the way back to where a datagram came from, from a header of IPv4: it stands in the second half of the
// room for a GRH, and its addresses are those of mapped GIDs.
func TestAnswerByIPv4(t *testing.T) {
	lib := must(verbs.LoadFrom(softverbs.New()))(t)
	dev := must(lib.OpenDevice("soft0"))(t)
	defer dev.CloseAll()
	const port, index = 1, 1
	mine := must(dev.QueryGID(port, index))(t)
	theirs := verbs.GID{10: 0xff, 11: 0xff, 12: 10, 13: 1, 14: 2, 15: 3}
	header := func(to verbs.GID) []byte {
		h := make([]byte, verbs.GRHSize)
		h[20], h[21], h[28] = 4<<4|5, 0x20, 17 // version and length, type of service, time to live
		copy(h[32:], theirs[12:])
		copy(h[36:], to[12:])
		return h
	}
	wc := &verbs.WC{Flags: verbs.WCFlagGRH, SL: 3}
	got := must(dev.InitAHFromWC(port, wc, header(mine)))(t)
	want := verbs.AHAttr{PortNum: port, IsGlobal: true, DGID: theirs, SGIDIndex: index, HopLimit: 17, TrafficClass: 0x20, SL: 3}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for what, to := range map[string]verbs.GID{"a group": {10: 0xff, 11: 0xff, 12: 224, 15: 1}, "an address that the port has not": theirs} {
		if _, err := dev.InitAHFromWC(port, wc, header(to)); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
