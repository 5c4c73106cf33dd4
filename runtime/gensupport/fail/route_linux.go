package fail

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// netdev reads in sysfs which network interface an entry of the GID table has; in another network namespace there is none.
func (p Path) netdev() (d netdev) {
	s, ok := systemOf(p.Src)
	if !ok {
		return d
	}
	attrs := filepath.Join(s.sysfs, "class/infiniband", p.Device, "ports", fmt.Sprint(p.Port), "gid_attrs")
	d.v1 = strings.HasSuffix(line(attrs, "types", fmt.Sprint(p.Index)), "v1")
	d.name = line(attrs, "ndevs", fmt.Sprint(p.Index))
	if d.name == "" {
		return d
	}
	net := filepath.Join(s.sysfs, "class/net", d.name)
	var flags uint32
	if _, err := fmt.Sscanf(line(net, "flags"), "0x%x", &flags); err != nil {
		return d
	}
	d.index = uint32(numberOf(filepath.Join(net, "ifindex")))
	d.up = flags&unix.IFF_UP != 0
	return d
}

// wayTo asks the kernel for the route between two addresses on a network interface, and what it knows of the next hop. Without from or
// netdev the kernel chooses them.
func wayTo(from, to netip.Addr, netdev uint32) (w way) {
	family, bits := byte(unix.AF_INET), byte(32)
	if to.Is6() {
		family, bits = unix.AF_INET6, 128
	}
	route := append(make([]byte, 0, 64), family, bits, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // struct rtmsg
	route = attribute(route, unix.RTA_DST, to.AsSlice())
	if from.IsValid() {
		const sourceLength = 2
		route[sourceLength] = bits
		route = attribute(route, unix.RTA_SRC, from.AsSlice())
	}
	if netdev != 0 {
		route = attribute(route, unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, netdev))
	}
	reply, errno, known := ask(unix.RTM_GETROUTE, route)
	if w.known, w.errno = known, errno; !known || errno != 0 {
		return w
	}
	hop := to
	w.netdev = netdev
	if attrs, err := syscall.ParseNetlinkRouteAttr(&reply); err == nil {
		for _, a := range attrs {
			switch gateway, ok := netip.AddrFromSlice(a.Value); {
			case a.Attr.Type == unix.RTA_GATEWAY && ok:
				w.gateway, hop = gateway, gateway
			case a.Attr.Type == unix.RTA_OIF && len(a.Value) == 4:
				w.netdev = binary.NativeEndian.Uint32(a.Value)
			}
		}
	}
	neighbour := append(make([]byte, 0, 40), family, 0, 0, 0) // struct ndmsg
	neighbour = append(binary.NativeEndian.AppendUint32(neighbour, w.netdev), 0, 0, 0, 0)
	const state = 8 // where ndm_state is
	if reply, errno, _ := ask(unix.RTM_GETNEIGH, attribute(neighbour, unix.NDA_DST, hop.AsSlice())); errno == 0 && len(reply.Data) > state+2 {
		w.state = binary.NativeEndian.Uint16(reply.Data[state:])
	}
	return w
}

// attribute appends an attribute of a netlink message.
func attribute(b []byte, kind uint16, data []byte) []byte {
	b = binary.NativeEndian.AppendUint16(b, uint16(unix.SizeofRtAttr+len(data)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), data...)
	for len(b)%unix.RTA_ALIGNTO != 0 {
		b = append(b, 0)
	}
	return b
}

// ask sends a request to rtnetlink, and returns its first answer: a message, or an errno. It is not known where there is no rtnetlink.
func ask(kind uint16, body []byte) (reply syscall.NetlinkMessage, errno syscall.Errno, known bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return reply, 0, false
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return reply, 0, false
	}
	message := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	message = binary.NativeEndian.AppendUint16(message, kind)
	message = binary.NativeEndian.AppendUint16(message, unix.NLM_F_REQUEST)
	message = append(append(message, make([]byte, 8)...), body...) // any sequence, from any port
	if err := unix.Sendto(fd, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return reply, 0, false
	}
	answer := make([]byte, 1<<14)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return reply, 0, false
	}
	all, err := syscall.ParseNetlinkMessage(answer[:n])
	if err != nil || len(all) == 0 {
		return reply, 0, false
	}
	if all[0].Header.Type == unix.NLMSG_ERROR && len(all[0].Data) >= 4 {
		return reply, syscall.Errno(-int32(binary.NativeEndian.Uint32(all[0].Data))), true
	}
	return all[0], 0, true
}
