//go:build linux && cgo

package oncard

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestCauses makes calls fail on the real libmlx5, and asks for the cause that the arguments confirm.
func TestCauses(t *testing.T) {
	dev := open(t, card.Devices[0])
	pd := must(dev.AllocPD())(t)
	gid := func(text string) verbs.GID { return must(verbs.ParseGID(text))(t) }
	path := func(index uint8, to string) verbs.AHAttr {
		return verbs.AHAttr{PortNum: 1, IsGlobal: true, SGIDIndex: index, DGID: gid(to), HopLimit: 1}
	}
	rtr := func(at verbs.AHAttr) error {
		cq := must(dev.CreateCQ(4, nil, 0))(t)
		qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1}))(t)
		setup := verbs.RCSetup{PortNum: 1, AV: at, PathMTU: verbs.MTU1024, DestQPNum: 1}
		if err := qp.Modify(setup.Init()); err != nil {
			t.Fatal(err)
		}
		return qp.Modify(setup.RTR())
	}
	file := must(os.CreateTemp(t.TempDir(), "buf"))(t)
	defer file.Close()
	families := "entry 1 of the GID table of port 1, SGIDIndex, is the link-local address "
	for _, c := range []struct {
		name string
		err  func() error
		want string
	}{
		{"families", func() error { return rtr(path(1, "::ffff:192.168.77.2")) },
			"ibv_modify_qp: invalid argument (EINVAL); may be: " + families},
		{"nobody", func() error { return rtr(path(3, "::ffff:192.168.77.99")) },
			"ibv_modify_qp: connection timed out (ETIMEDOUT); may be: nobody answers at 192.168.77.99 on "},
		{"no route", func() error { return rtr(path(3, "::ffff:10.9.9.9")) },
			"ibv_modify_qp: network is unreachable (ENETUNREACH); may be: no route leads "},
		{"zeros", func() error { return rtr(path(3, "::")) },
			"ibv_modify_qp: invalid argument (EINVAL); may be: DGID is all zeros; set it to the GID of the peer"},
		{"a peer", func() error { return rtr(path(3, "::ffff:192.168.77.2")) }, "<nil>"},
		{"GID", func() error { _, err := dev.QueryGIDEx(1, 200); return err },
			"ibv_query_gid_ex: no data available (ENODATA); may be: entry 200 of the GID table of port 1 is empty; use one of 0: "},
		{"plain file", func() error {
			return errorOf(pd.RegDMABufMR(mem.DMABuf{FD: int(file.Fd()), Length: 64}, 0, verbs.DMABufAccessLocalWrite))
		},
			fmt.Sprintf("ibv_reg_dmabuf_mr: invalid argument (EINVAL); may be: fd %d is %s, not a dma-buf", file.Fd(), file.Name())},
	} {
		if got := fmt.Sprint(c.err()); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestAnnouncedOnce arms a queue of the real libmlx5 again.
func TestAnnouncedOnce(t *testing.T) {
	if err := link.AnnouncedOnce(open(t, card.Devices[0])); err != nil {
		t.Error(err)
	}
}
