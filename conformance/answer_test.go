//go:build linux && cgo

package conformance

import (
	"errors"
	"reflect"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

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
