//go:build linux

package census

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Counts is how many objects there are, by the kernel's name of their kind: "pd", "cq", "qp", "mr", "ctx".
type Counts map[string]uint64

// What is sent and answered: include/uapi/rdma/rdma_netlink.h of Linux.
const (
	resourcesOfAll = 5<<10 | 9 // RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET
	attrDevName    = 2         // RDMA_NLDEV_ATTR_DEV_NAME
	attrSummary    = 15        // RDMA_NLDEV_ATTR_RES_SUMMARY
	attrEntry      = 16        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, all that is in it
	attrName       = 17        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME
	attrCount      = 18        // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR
)

// patience is how long the kernel may take to take down what was closed.
const patience = 3 * time.Second

// Count counts the objects of a device. A kernel that does not tell, or has no such device, is an error.
func Count(device string) (Counts, error) {
	msgs, err := ask()
	for _, m := range msgs {
		name, c, wrong := summary(m.Data)
		if wrong == nil && name == device {
			return c, nil
		}
		err = cmp.Or(err, wrong)
	}
	err = cmp.Or(err, errors.New("the kernel knows no such device"))
	return nil, fmt.Errorf("the kernel's objects of %s are not counted: %w", device, err)
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

// ask has the kernel tell of all devices.
func ask() (msgs []netlink.Message, err error) {
	conn, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return nil, fmt.Errorf("a socket of netlink for RDMA: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return nil, err
	}
	return conn.Execute(netlink.Message{Header: netlink.Header{Type: resourcesOfAll, Flags: netlink.Request | netlink.Dump}})
}

// summary reads the counts of one device.
func summary(body []byte) (device string, c Counts, err error) {
	c = Counts{}
	err = attributes(body, func(d *netlink.AttributeDecoder) {
		switch d.Type() {
		case attrDevName:
			device = d.String()
		case attrSummary:
			d.Do(func(entries []byte) error {
				return attributes(entries, func(d *netlink.AttributeDecoder) { d.Do(func(body []byte) error { return entry(c, body) }) })
			})
		}
	})
	return device, c, err
}

// entry adds the count of a kind.
func entry(c Counts, body []byte) error {
	kind, n := "", uint64(0)
	err := attributes(body, func(d *netlink.AttributeDecoder) {
		switch d.Type() {
		case attrName:
			kind = d.String()
		case attrCount:
			n = d.Uint64()
		}
	})
	c[kind] = n
	return err
}

// attributes goes through a list of attributes.
func attributes(body []byte, each func(*netlink.AttributeDecoder)) error {
	d, err := netlink.NewAttributeDecoder(body)
	if err != nil {
		return err
	}
	for d.Next() {
		each(d)
	}
	return d.Err()
}
