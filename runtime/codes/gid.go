package codes

import (
	"fmt"
	"net/netip"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// ParseGID reads a GID: an IPv6 address in any of its forms ("fe80::1", as a GID prints itself, or with all its digits, as the
// kernel shows it in sysfs), or an IPv4 address, which stands for the GID that RoCE makes of it (::ffff:192.0.2.1). Anything else
// is EINVAL, also an address with a zone: a GID has none.
func ParseGID(s string) ([16]byte, error) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return [16]byte{}, &verr.Error{Errno: syscall.EINVAL, Refused: true,
			Msg: fmt.Sprintf("the GID %q is no IPv6 or IPv4 address", s)}
	}
	if a.Zone() != "" {
		return [16]byte{}, &verr.Error{Errno: syscall.EINVAL, Refused: true,
			Msg: fmt.Sprintf("the GID %q has a zone; leave %%%s out", s, a.Zone())}
	}
	return a.As16(), nil
}
