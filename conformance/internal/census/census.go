//go:build linux

package census

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Counts is how many objects there are, by the kernel's name of their kind: "pd", "cq", "qp", "mr", "ctx".
type Counts map[string]uint64

// What is sent and answered: include/uapi/rdma/rdma_netlink.h of Linux.
const (
	resourcesOfAll = 5<<10 | 9 // RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET
	attrDevName    = 2         // RDMA_NLDEV_ATTR_DEV_NAME
	attrSummary    = 15        // RDMA_NLDEV_ATTR_RES_SUMMARY
	attrEntry      = 16        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY
	attrName       = 17        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME
	attrCount      = 18        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR
	attrTypeMask   = 1<<14 - 1 // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
)

// patience is how long the kernel may take to take down what was closed.
const patience = 3 * time.Second

// Count counts the objects of a device. A kernel that does not tell, or has no such device, is an error.
func Count(device string) (Counts, error) {
	msgs, err := ask()
	if err != nil {
		return nil, fmt.Errorf("the kernel's objects of %s are not counted: %w", device, err)
	}
	for _, m := range msgs {
		if name, c := summary(m); name == device {
			return c, nil
		}
	}
	return nil, fmt.Errorf("the kernel's objects of %s are not counted: the kernel knows no such device", device)
}

// More waits for as long as there are more objects than before, for some seconds at the most, and gives what there are more of:
// "pd 1, before 0"; nothing when there are none.
func (before Counts) More(device string) (string, error) {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		now, err := Count(device)
		if err != nil {
			return "", err
		}
		if more := before.excess(now); more == "" || time.Now().After(end) {
			return more, nil
		}
	}
}

func (before Counts) excess(now Counts) string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(now)) {
		if now[kind] > before[kind] {
			out = append(out, fmt.Sprintf("%s %d, before %d", kind, now[kind], before[kind]))
		}
	}
	return strings.Join(out, "; ")
}

// ask has the kernel tell of all devices, and gives the body of each answer.
func ask() (bodies [][]byte, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_RDMA)
	if err != nil {
		return nil, fmt.Errorf("a socket of netlink for RDMA: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return nil, err
	}
	req := make([]byte, unix.NLMSG_HDRLEN)
	binary.NativeEndian.PutUint32(req, uint32(len(req)))
	binary.NativeEndian.PutUint16(req[4:], resourcesOfAll)
	binary.NativeEndian.PutUint16(req[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	if err := unix.Sendto(fd, req, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	for buf := make([]byte, 64<<10); ; {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return nil, err
		}
		more, done, err := parts(buf[:n])
		if bodies = append(bodies, more...); done || err != nil {
			return bodies, err
		}
	}
}

// parts takes a datagram apart; done is true for the last one.
func parts(datagram []byte) (bodies [][]byte, done bool, err error) {
	msgs, err := syscall.ParseNetlinkMessage(datagram)
	if err != nil {
		return nil, false, err
	}
	for _, m := range msgs {
		switch m.Header.Type {
		case unix.NLMSG_DONE:
			return bodies, true, nil
		case unix.NLMSG_ERROR:
			if len(m.Data) >= 4 {
				if e := -int32(binary.NativeEndian.Uint32(m.Data)); e != 0 {
					return nil, true, syscall.Errno(e)
				}
			}
			return bodies, true, nil
		}
		bodies = append(bodies, slices.Clone(m.Data))
	}
	return bodies, false, nil
}

// summary reads the counts of one device.
func summary(body []byte) (device string, c Counts) {
	c = Counts{}
	for typ, value := range attributes(body) {
		switch typ {
		case attrDevName:
			device = unix.ByteSliceToString(value)
		case attrSummary:
			for typ, value := range attributes(value) {
				if typ == attrEntry {
					kind, n := entry(value)
					c[kind] = n
				}
			}
		}
	}
	return device, c
}

func entry(body []byte) (kind string, n uint64) {
	for typ, value := range attributes(body) {
		switch {
		case typ == attrName:
			kind = unix.ByteSliceToString(value)
		case typ == attrCount && len(value) == 8:
			n = binary.NativeEndian.Uint64(value)
		}
	}
	return kind, n
}

// attributes goes through a list of attributes: a length with its own 4 bytes, a type, the value, and up to 3 bytes of nothing.
// It ends where the list is cut short.
func attributes(b []byte) func(yield func(uint16, []byte) bool) {
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= unix.NLA_HDRLEN {
			n := int(binary.NativeEndian.Uint16(b))
			if n < unix.NLA_HDRLEN || n > len(b) || !yield(binary.NativeEndian.Uint16(b[2:])&attrTypeMask, b[unix.NLA_HDRLEN:n]) {
				return
			}
			b = b[min((n+3)&^3, len(b)):]
		}
	}
}
