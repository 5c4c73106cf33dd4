package cmem

import (
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestSockAddr writes addresses and reads them again; the bytes of one of each family are those of Linux.
func TestSockAddr(t *testing.T) {
	for _, text := range []string{"10.0.0.1:7471", "0.0.0.0:0", "[2001:db8::1]:1", "[fe80::1%1]:65535", "[fe80::1%9999999]:2",
		"[::ffff:10.0.0.1]:3"} {
		want := netip.MustParseAddrPort(text)
		a, err := SockAddrOf("verb", "addr", want, false)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if a.Pointer() != unsafe.Pointer(&a.b) {
			t.Errorf("%s: the pointer is not to the address", text)
		}
		if want.Addr().Is4In6() {
			want = netip.AddrPortFrom(want.Addr().Unmap(), want.Port())
		}
		got := ReadSockAddr(a.b)
		if got.Addr().WithZone("") != want.Addr().WithZone("") || got.Port() != want.Port() ||
			(got.Addr().Zone() == "") != (want.Addr().Zone() == "") {
			t.Errorf("%s is read as %s", text, got)
		}
	}
	a, _ := SockAddrOf("verb", "addr", netip.MustParseAddrPort("10.0.0.1:7471"), false)
	if a.Len() != 16 || new(SockAddr).Len() != 0 {
		t.Errorf("length %d, and %d of none", a.Len(), new(SockAddr).Len())
	}
	if want := [8]byte{2, 0, 0x1d, 0x2f, 10, 0, 0, 1}; [8]byte(a.b[:8]) != want {
		t.Errorf("bytes %v, want %v", a.b[:8], want)
	}
	a, _ = SockAddrOf("verb", "addr", netip.MustParseAddrPort("[2001:db8::1]:1"), false)
	if a.b[0] != 10 || a.b[3] != 1 || a.b[8] != 0x20 || a.b[23] != 1 || a.Len() != 28 {
		t.Errorf("bytes %v", a.b[:28])
	}
}

// TestNoSockAddr is NULL where that is allowed, and refused elsewhere, as is a zone without an interface.
func TestNoSockAddr(t *testing.T) {
	a, err := SockAddrOf("verb", "addr", netip.AddrPort{}, true)
	if err != nil || a.Pointer() != nil {
		t.Errorf("%v, %v", a.Pointer(), err)
	}
	if _, err := SockAddrOf("verb", "addr", netip.AddrPort{}, false); err == nil ||
		err.Error() != "verb: addr is no valid address; make one with netip.AddrPortFrom" {
		t.Errorf("no address: %v", err)
	}
	if _, err := SockAddrOf("verb", "addr", netip.MustParseAddrPort("[fe80::1%nowhere0]:1"), true); err == nil ||
		!strings.Contains(err.Error(), "its zone is no interface") {
		t.Errorf("an unknown zone: %v", err)
	}
	if got := ReadSockAddr([sockAddrSize]byte{}); got.IsValid() {
		t.Errorf("an address that nobody set is %s", got)
	}
}

// TestInterfaces asks for each interface of this machine by its name and by its number.
func TestInterfaces(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("the interfaces are not known: ", err)
	}
	for _, i := range all {
		index, err := scopeOf(i.Name)
		if name := zoneOf(uint32(i.Index)); err != nil || index != uint32(i.Index) || name != i.Name {
			t.Errorf("%s has number %d (%v), and %d is called %s; want %d", i.Name, index, err, i.Index, name, i.Index)
		}
	}
	if name := zoneOf(9999999); name != "9999999" {
		t.Errorf("an interface that does not exist is called %s", name)
	}
}
