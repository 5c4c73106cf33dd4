//go:build linux

package census

import (
	"encoding/binary"
	"maps"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// attr writes an attribute as the kernel does.
func attr(typ uint16, value ...byte) []byte {
	out := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	out = append(binary.NativeEndian.AppendUint16(out, typ), value...)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

func count(kind string, n uint64) []byte {
	return attr(attrEntry|unix.NLA_F_NESTED, slices.Concat(attr(attrName, append([]byte(kind), 0)...),
		attr(attrCount, binary.NativeEndian.AppendUint64(nil, n)...))...)
}

// message writes a message of netlink.
func message(typ uint16, body []byte) []byte {
	out := binary.NativeEndian.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	out = binary.NativeEndian.AppendUint16(out, typ)
	return append(append(out, make([]byte, 10)...), body...)
}

// TestSummary reads an answer of two devices, and the ends and errors of a dump.
func TestSummary(t *testing.T) {
	device := func(name string, kinds ...[]byte) []byte {
		return slices.Concat(attr(1, 7, 0, 0, 0), attr(attrDevName, append([]byte(name), 0)...),
			attr(attrSummary|unix.NLA_F_NESTED, slices.Concat(kinds...)...))
	}
	whole := slices.Concat(message(resourcesOfAll, device("rxe0", count("pd", 1), count("qp", 2))),
		message(resourcesOfAll, device("mlx5_10", count("ctx", 1<<40))))
	bodies, done, err := parts(whole)
	if err != nil || done || len(bodies) != 2 {
		t.Fatalf("%d bodies, %v, %v", len(bodies), done, err)
	}
	if name, c := summary(bodies[0]); name != "rxe0" || !maps.Equal(c, Counts{"pd": 1, "qp": 2}) {
		t.Errorf("%q %v", name, c)
	}
	if name, c := summary(bodies[1]); name != "mlx5_10" || !maps.Equal(c, Counts{"ctx": 1 << 40}) {
		t.Errorf("%q %v", name, c)
	}
	if _, done, err := parts(message(unix.NLMSG_DONE, nil)); !done || err != nil {
		t.Errorf("the end of a dump: %v, %v", done, err)
	}
	refused := int32(-int32(syscall.EPERM))
	if _, done, err := parts(message(unix.NLMSG_ERROR, binary.NativeEndian.AppendUint32(nil, uint32(refused)))); !done ||
		err != syscall.EPERM {
		t.Errorf("an error: %v, %v", done, err)
	}
	for cut := range bodies[0] { // bytes that end anywhere, and lengths that lie
		summary(bodies[0][:cut])
		b := slices.Clone(bodies[0])
		b[cut] = 0xff
		summary(b)
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
