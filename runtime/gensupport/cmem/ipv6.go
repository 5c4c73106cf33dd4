package cmem

import (
	"fmt"
	"net/netip"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// IPv6 writes 16 bytes as an IPv6 address.
func IPv6(b [16]byte) string { return netip.AddrFrom16(b).String() }

// ParseIPv6 reads 16 bytes: an IPv6 address in any of its forms ("fe80::1", as IPv6 writes it, or with all its digits, as the
// kernel shows a GID in sysfs), or an IPv4 address, which becomes the IPv6 address that it is mapped to (::ffff:192.0.2.1).
// Anything else is EINVAL, also an address with a zone: 16 bytes have none. What names the value in the error.
func ParseIPv6(what, s string) ([16]byte, error) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return [16]byte{}, fail.Invalid("", fmt.Sprintf("the %s %q is no IPv6 or IPv4 address", what, s))
	}
	if a.Zone() != "" {
		return [16]byte{}, fail.Invalid("", fmt.Sprintf("the %s %q has a zone; leave %%%s out", what, s, a.Zone()))
	}
	return a.As16(), nil
}
