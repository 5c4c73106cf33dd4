package object

import (
	"errors"
	"syscall"
	"testing"
)

// TestOtherDevice has the text for objects of two devices, of two openings of one, and for a call on the device itself.
func TestOtherDevice(t *testing.T) {
	named := func(kind, label string) *Node { return &Node{kind: kind, label: label} }
	soft0, again, soft1 := named("Device", "soft0"), named("Device", "soft0"), named("Device", "soft1")
	pd, cq := named("PD", "handle 1"), named("CQ", "handle 3")
	for _, c := range []struct {
		err  error
		want string
	}{
		{OtherDevice("v", "send_cq", cq, soft1, pd, soft0),
			"v: send_cq: CQ (handle 3) belongs to device soft1, and PD (handle 1) to soft0; use objects of one device"},
		{OtherDevice("v", "send_cq", cq, again, pd, soft0),
			"v: send_cq: CQ (handle 3) belongs to one opening of device soft0, and PD (handle 1) to another; use objects of one device"},
		{OtherDevice("v", "pd", pd, soft1, soft0, soft0),
			"v: pd: PD (handle 1) belongs to device soft1, and the call is made on soft0; use objects of one device"},
		{OtherDevice("v", "pd", pd, again, soft0, soft0),
			"v: pd: PD (handle 1) belongs to one opening of device soft0, and the call is made on another; use objects of one device"},
		{OtherDevice("v", "pd", pd, named("Device", ""), soft0, soft0),
			"v: pd: PD (handle 1) belongs to device (imported), and the call is made on soft0; use objects of one device"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, syscall.EINVAL) {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}
