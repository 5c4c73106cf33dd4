//go:build linux

package census

import (
	"maps"
	"slices"
	"testing"

	"github.com/mdlayher/netlink"
)

// TestSummary reads the answer of a device, whole, cut off anywhere, and with lengths that lie.
func TestSummary(t *testing.T) {
	e := netlink.NewAttributeEncoder()
	e.Uint32(1, 7)
	e.String(attrDevName, "rxe0")
	e.Nested(attrSummary, func(e *netlink.AttributeEncoder) error {
		for kind, n := range map[string]uint64{"pd": 1, "ctx": 1 << 40} {
			e.Nested(attrEntry, func(e *netlink.AttributeEncoder) error {
				e.String(attrName, kind)
				e.Uint64(attrCount, n)
				return nil
			})
		}
		return nil
	})
	body, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if name, c, err := summary(body); err != nil || name != "rxe0" || !maps.Equal(c, Counts{"pd": 1, "ctx": 1 << 40}) {
		t.Errorf("%q %v, %v", name, c, err)
	}
	for cut := range body {
		_, _, _ = summary(body[:cut])
		b := slices.Clone(body)
		b[cut] = 0xff
		_, _, _ = summary(b)
	}
}

// TestExcess names what there is more of, and nothing that there is less of.
func TestExcess(t *testing.T) {
	before := Counts{"pd": 1, "qp": 2, "cq": 0}
	for _, c := range []struct {
		now  Counts
		want string
	}{
		{Counts{"pd": 1, "qp": 2, "cq": 0}, ""},
		{Counts{"pd": 0, "qp": 1}, ""},
		{Counts{"qp": 3, "cq": 1, "mr": 1}, "cq 1, before 0; mr 1, before 0; qp 3, before 2"},
	} {
		if got := before.excess(c.now); got != c.want {
			t.Errorf("%v after %v: %q, want %q", c.now, before, got, c.want)
		}
	}
}

// TestNoDevice asks for a device that does not exist: an error, whether or not the kernel has RDMA.
func TestNoDevice(t *testing.T) {
	if c, err := Count("no_such_device"); err == nil {
		t.Errorf("counted %v", c)
	}
}
