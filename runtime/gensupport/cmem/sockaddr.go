package cmem

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// The families of addresses, as Linux numbers them.
const (
	inet  = 2
	inet6 = 10
)

// sockAddrSize is that of struct sockaddr_storage, so that C may read any sockaddr of it.
const sockAddrSize = 128

// SockAddr is the address of a socket as C has it, of IPv4 or IPv6. It holds no pointer; the zero SockAddr is NULL.
type SockAddr struct {
	b     [sockAddrSize]byte
	given bool
}

// SockAddrOf is the C form of an address. One that is not valid, such as the zero AddrPort, is NULL where optional allows it. verb and
// what, the C name of the parameter, are for the error.
func SockAddrOf(verb, what string, a netip.AddrPort, optional bool) (*SockAddr, error) {
	out := new(SockAddr)
	ip := a.Addr().Unmap()
	native := binary.NativeEndian
	switch {
	case !a.Addr().IsValid() && optional:
		return out, nil
	case ip.Is4():
		native.PutUint16(out.b[0:], inet)
		b := ip.As4()
		copy(out.b[4:], b[:])
	case ip.Is6():
		native.PutUint16(out.b[0:], inet6)
		b := ip.As16()
		copy(out.b[8:], b[:])
		scope, err := scopeOf(ip.Zone())
		if err != nil {
			return nil, &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Err: err,
				Msg: what + " " + a.String() + ": its zone is no interface of this machine"}
		}
		native.PutUint32(out.b[24:], scope)
	default:
		return nil, fail.Invalid(verb, what+" is no valid address; make one with netip.AddrPortFrom")
	}
	binary.BigEndian.PutUint16(out.b[2:], a.Port())
	out.given = true
	return out, nil
}

// scopeOf is the number of the interface that a zone names.
func scopeOf(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	return interfaceIndex(zone)
}

// Pointer is the address in memory of Go, or NULL.
func (a *SockAddr) Pointer() unsafe.Pointer {
	if !a.given {
		return nil
	}
	return unsafe.Pointer(&a.b)
}

// ReadSockAddr reads a struct sockaddr_storage. One of another family, such as one that nobody has set, is the zero AddrPort.
func ReadSockAddr(b [sockAddrSize]byte) netip.AddrPort {
	native := binary.NativeEndian
	port := binary.BigEndian.Uint16(b[2:])
	switch native.Uint16(b[0:]) {
	case inet:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port)
	case inet6:
		ip := netip.AddrFrom16([16]byte(b[8:24]))
		if scope := native.Uint32(b[24:]); scope != 0 {
			ip = ip.WithZone(zoneOf(scope))
		}
		return netip.AddrPortFrom(ip, port)
	}
	return netip.AddrPort{}
}

// zoneOf is the name of an interface, or its number.
func zoneOf(scope uint32) string {
	if name, err := interfaceName(scope); err == nil {
		return name
	}
	return strconv.FormatUint(uint64(scope), 10)
}

// Len is the length of the address in C, 0 for NULL.
func (a *SockAddr) Len() int {
	switch {
	case !a.given:
		return 0
	case binary.NativeEndian.Uint16(a.b[:]) == inet:
		return 16
	}
	return 28
}
