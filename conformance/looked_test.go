//go:build linux && cgo

package conformance

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestLookedAt makes calls fail by an errno that has several causes, with arguments that confirm one, and with others that do not. An error
// without causes ends with the name of its errno.
func TestLookedAt(t *testing.T) {
	queue := func(c verbs.QPInitAttr) func(*testing.T, *bed) error {
		return func(t *testing.T, b *bed) error {
			cq := must(b.dev.CreateCQ(4, nil, 0))(t)
			c.SendCQ, c.RecvCQ, c.Type = cq, cq, max(c.Type, verbs.QPTypeRC)
			return errorOf(must(b.dev.AllocPD())(t).CreateQP(c))
		}
	}
	flow := func(t *testing.T, b *bed) error {
		cq := must(b.dev.CreateCQ(4, nil, 0))(t)
		qp := must(must(b.dev.AllocPD())(t).CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1}))(t)
		return errorOf(qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(&verbs.FlowSpecEth{})))
	}
	dmabuf := func(offset, length uint64, fd func(*testing.T) int) func(*testing.T, *bed) error {
		return func(t *testing.T, b *bed) error {
			part := mem.DMABuf{FD: fd(t), Offset: offset, Length: length}
			return errorOf(must(b.dev.AllocPD())(t).RegDMABufMR(part, offset, verbs.DMABufAccessLocalWrite))
		}
	}
	file := func(t *testing.T) int {
		f := must(os.CreateTemp(t.TempDir(), "buf"))(t)
		t.Cleanup(func() { f.Close() })
		if err := f.Truncate(8192); err != nil {
			t.Fatal(err)
		}
		return int(f.Fd())
	}
	devmem := func(t *testing.T, b *bed) error {
		must(b.dev.AllocDM(verbs.NewAllocDMAttr(3 << 20)))(t)
		return errorOf(b.dev.AllocDM(verbs.NewAllocDMAttr(2 << 20)))
	}
	gid := func(index int) func(*testing.T, *bed) error {
		return func(_ *testing.T, b *bed) error { _, err := b.dev.QueryGID(1, index); return err }
	}
	gidEx := func(_ *testing.T, b *bed) error { _, err := b.dev.QueryGIDEx(1, 0); return err }
	memory := func(t *testing.T, b *bed) error {
		return errorOf(must(b.dev.AllocPD())(t).RegMR(make([]byte, 4096), 0))
	}
	address := func(to string) func(*testing.T, *bed) error {
		return func(t *testing.T, b *bed) error {
			at := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(verbs.ParseGID(to))(t), HopLimit: 1}
			return errorOf(must(b.dev.AllocPD())(t).CreateAH(at))
		}
	}
	reads := func(pairs int) func(*testing.T, *bed) error {
		return func(t *testing.T, b *bed) error {
			cq, pd := must(b.dev.CreateCQ(4, nil, 0))(t), must(b.dev.AllocPD())(t)
			var qp *verbs.QP
			for range pairs {
				qp = must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1}))(t)
			}
			way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(b.dev.QueryGID(1, 0))(t), HopLimit: 1}
			return verbs.RCSetup{PortNum: 1, AV: way, PathMTU: verbs.MTU1024, DestQPNum: qp.Num(), MaxDestRDAtomic: 128, MinRNRTimer: 1}.ToRTS(qp)
		}
	}
	for _, c := range []struct {
		name string
		opts []softverbs.Option
		call func(*testing.T, *bed) error
		want string
	}{
		{"inline", nil, queue(verbs.QPInitAttr{MaxSendWR: 1, MaxSendSGE: 1, MaxInlineData: 1 << 20}),
			"(EINVAL); may be: MaxInlineData is 1048576, and the device may carry less inline; no capability says how much that is"},
		{"no inline", []softverbs.Option{softverbs.Fail("ibv_create_qp", 1, syscall.EINVAL)},
			queue(verbs.QPInitAttr{MaxSendWR: 1, MaxSendSGE: 1}), "(EINVAL)"},
		{"raw packets", nil, queue(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, MaxSendWR: 1, MaxSendSGE: 1}),
			"(EPERM); may be: raw packets need CAP_NET_RAW, which the software device has with the option NetRaw"},
		{"raw packets with the right", []softverbs.Option{softverbs.NetRaw()},
			queue(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, MaxSendWR: 1, MaxSendSGE: 1}), "<nil>"},
		{"no raw packets", []softverbs.Option{softverbs.Fail("ibv_create_qp", 1, syscall.EPERM)},
			queue(verbs.QPInitAttr{MaxSendWR: 1, MaxSendSGE: 1}), "(EPERM)"},
		{"flow", nil, flow, "(EPERM); may be: flows need CAP_NET_RAW, which the software device has with the option NetRaw"},
		{"equal flow", []softverbs.Option{softverbs.Fail("ibv_create_flow", 1, syscall.EEXIST)}, flow, "(EEXIST); may be: the device has an " +
			"equal flow already (port, type, priority and specs), of this program or of another; close it, or give this one another Priority"},
		{"dma-buf", nil, dmabuf(4096, 4096, file), "<nil>"},
		{"dma-buf that ends before", nil, dmabuf(4096, 8192, file), "(EINVAL); may be: the dma-buf has 8192 bytes, and the region is to have " +
			"8192 from offset 4096 on; register less"},
		{"no dma-buf", nil, dmabuf(0, 64, func(*testing.T) int { return 1 << 20 }),
			"(EBADF); may be: fd 1048576 is not open; keep it open until the region is registered"},
		{"dma-buf without a cause", []softverbs.Option{softverbs.Fail("ibv_reg_dmabuf_mr", 1, syscall.EINVAL)}, dmabuf(0, 64, file), "(EINVAL)"},
		{"driver", []softverbs.Option{softverbs.Fail("ibv_reg_dmabuf_mr", 1, 524)}, dmabuf(0, 64, file),
			"operation not supported by the driver (ENOTSUPP)"},
		{"more reads than the device serves", []softverbs.Option{softverbs.Fail("ibv_modify_qp", 2, syscall.EINVAL)}, reads(2017),
			"may be: the device serves 258048 READs and atomics of peers at a time (max_res_rd_atom), and 2017 queue pairs of this handle would " +
				"take 258176 with MaxDestRDAtomic 128 each; set it lower"},
		{"as many reads", []softverbs.Option{softverbs.Fail("ibv_modify_qp", 2, syscall.EINVAL)}, reads(2016), "(EINVAL)"},
		{"device memory", nil, devmem, "(ENOMEM); may be: the device has 4194304 bytes of device memory (max_dm_size), of which this handle of " +
			"it holds 3145728 in 1 objects, and other programs may hold more; close what is not needed, or ask for less"},
		{"alignment", []softverbs.Option{softverbs.Fail("ibv_alloc_dm", 1, syscall.EINVAL)}, func(_ *testing.T, b *bed) error {
			return errorOf(b.dev.AllocDM(verbs.NewAllocDMAttr(64)))
		}, "(EINVAL)"},
		{"GID", []softverbs.Option{softverbs.Fail("ibv_query_gid", 1, syscall.EINVAL)}, gid(0), "(EINVAL)"},
		{"unknown GIDs", []softverbs.Option{softverbs.Fail("ibv_query_gid", 0, syscall.EIO)}, gid(0), "(EIO)"},
		{"GID with attributes", []softverbs.Option{softverbs.Fail("ibv_query_gid_ex", 1, syscall.ENODATA)}, gidEx, "(ENODATA)"},
		{"address", []softverbs.Option{softverbs.Fail("ibv_create_ah", 1, syscall.EINVAL)}, address("fe80::1"), "(EINVAL)"},
		{"memory that a limit allows", []softverbs.Option{softverbs.MemlockLimit(64 << 10), softverbs.Fail("ibv_reg_mr", 1, syscall.ENOMEM)},
			memory, "(ENOMEM)"},
		{"memory that is mapped", []softverbs.Option{softverbs.Fail("ibv_reg_mr", 1, syscall.EFAULT)}, memory, "(EFAULT)"},
		{"memory of the process", []softverbs.Option{softverbs.Fail("ibv_reg_mr", 1, syscall.EINVAL)}, memory, "(EINVAL)"},
		{"few mappings", []softverbs.Option{softverbs.Fail("ibv_reg_mr", 1, syscall.EAGAIN)}, memory, "(EAGAIN)"},
		{"the kernel's memory", nil, func(t *testing.T, b *bed) error {
			at, length := mapped(t, "[vvar]")
			return errorOf(must(b.dev.AllocPD())(t).RegMRFrom(mem.Addr(at, length), 0))
		}, " of it are the kernel's own ([vvar]), which it does not pin; copy what is there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := openWithout(t, c.opts...)
			if got := fmt.Sprint(c.call(t, b)); !strings.HasSuffix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// mapped returns where the process has a mapping of that name.
func mapped(t *testing.T, name string) (at uintptr, length uint64) {
	t.Helper()
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		var end uintptr
		if strings.HasSuffix(strings.TrimSpace(line), name) {
			if _, err := fmt.Sscanf(line, "%x-%x", &at, &end); err != nil {
				t.Fatal(err)
			}
			return at, uint64(end - at)
		}
	}
	t.Skip("there is no " + name)
	return 0, 0
}

// TestAnnouncedOnce arms queues of software devices again.
func TestAnnouncedOnce(t *testing.T) {
	for _, opt := range []softverbs.Option{nil, softverbs.LikeMLX5(), softverbs.LikeRXE61()} {
		if err := link.AnnouncedOnce(open(t, opt).dev); err != nil {
			t.Error(err)
		}
	}
}
