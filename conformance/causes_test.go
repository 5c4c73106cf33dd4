//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestCauses makes calls that fail for a reason that only the device knows: by the errno, the error says what may be wrong.
func TestCauses(t *testing.T) {
	b := open(t)
	pd, foreign := must(b.dev.AllocPD())(t), must(b.dev.AllocPD())(t)
	buf := must(pd.AllocBuf(4096))(t)
	file := must(os.Create(filepath.Join(t.TempDir(), "domain")))(t)
	defer file.Close()
	other := importer(t, b)
	way := func(to string, sgid uint8) verbs.AHAttr {
		return verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(verbs.ParseGID(to))(t), SGIDIndex: sgid}
	}
	_, _, noHost := b.dev.ResolveEthL2FromGID(way("::ffff:192.0.2.1", 0))
	zeros := make([]byte, verbs.GRHSize)
	zeros[0], zeros[6] = 6<<4, 17 // IPv6 and UDP, to the address 0
	const noEntry = "entry 5000 of the GID table of port 1 does not exist (it has 1024); use one of 0: fe80::"
	for _, c := range []struct {
		verb  string
		errno syscall.Errno
		words string
		err   error
	}{
		{"ibv_alloc_buf", syscall.ENOMEM, "cannot get so much memory", errorOf(pd.AllocBuf(1 << 62))},
		{"ibv_export_buf_dmabuf_fd", syscall.ENODATA, "this buffer is not in a dma-buf, so it has no file descriptor",
			errorOf(buf.ExportDMABufFD())},
		{"ibv_reg_buf_mr", syscall.EINVAL, "the region must begin within the buffer", errorOf(pd.RegBufMR(buf, buf.Addr()-4096, 4096, 0))},
		{"ibv_reg_buf_mr", syscall.EINVAL, "the region must end within the buffer", errorOf(pd.RegBufMR(buf, buf.Addr(), 8192, 0))},
		{"ibv_reg_buf_mr", syscall.EINVAL, "pass the protection domain of the buffer", errorOf(foreign.RegBufMR(buf, buf.Addr(), 4096, 0))},
		{"ibv_reg_mr_ex", syscall.EINVAL, "a region of a buffer lies within the buffer",
			errorOf(pd.RegMREx(verbs.NewMRInitAttr(8192, 0).Buf(buf).Memory(mem.Addr(buf.Addr(), 8192))))},
		{"ibv_alloc_dm", syscall.EINVAL, "log_align_req 40 may be more than the device can align to",
			errorOf(b.dev.AllocDM(verbs.NewAllocDMAttr(4096).LogAlignReq(40)))},
		{"ibv_query_gid_ex", syscall.ENODATA, "entry 200 of the GID table of port 1 is empty; use one of 0: fe80::",
			errorOf(b.dev.QueryGIDEx(1, 200))},
		{"ibv_query_gid_ex", syscall.EINVAL, noEntry, errorOf(b.dev.QueryGIDEx(1, 5000))},
		{"ibv_query_gid", syscall.EINVAL, noEntry, errorOf(b.dev.QueryGID(1, 5000))},
		{"ibv_create_ah", syscall.ENETUNREACH, "; may be: no route leads to 2001::1; look at ip route get 2001::1",
			errorOf(pd.CreateAH(way("2001::1", 0)))},
		{"ibv_create_ah", syscall.ETIMEDOUT, "; may be: nobody answers at 192.0.2.1 on the network of the local GID; look at ip neigh",
			errorOf(pd.CreateAH(way("::ffff:192.0.2.1", 1)))},
		{"ibv_create_ah", syscall.EINVAL, ", and DGID is the IPv4 address 192.0.2.1; use one of 1: 10.0.0.1",
			errorOf(pd.CreateAH(way("::ffff:192.0.2.1", 0)))},
		{"ibv_create_ah", syscall.ENETUNREACH, "; may be: DGID is all zeros; set it to the GID of the peer", errorOf(pd.CreateAH(way("::", 0)))},
		{"ibv_query_gid_table", syscall.EINVAL, "the list is too short", errorOf(b.dev.QueryGIDTable(make([]verbs.GIDEntry, 1)))},
		{"ibv_query_pkey", syscall.ENOENT, "within the partition table", errorOf(b.dev.QueryPKey(1, 100))},
		{"ibv_get_pkey_index", syscall.ENOENT, "does not have the key", errorOf(b.dev.GetPKeyIndex(1, 0x1234))},
		{"ibv_resolve_eth_l2_from_gid", syscall.EHOSTUNREACH, "nobody has the destination GID", noHost},
		{"ibv_open_xrcd", syscall.EAGAIN, "O_CREAT makes one", errorOf(b.dev.OpenXRCD(verbs.NewXRCDInitAttr(int(file.Fd()), 0)))},
		{"ibv_open_xrcd", syscall.EBADF, "fd is not an open file", errorOf(b.dev.OpenXRCD(verbs.NewXRCDInitAttr(1<<20, os.O_CREATE)))},
		{"ibv_read_counters", syscall.EINVAL, "no flow has these counters", must(b.dev.CreateCounters())(t).Read(make([]uint64, 2), 0)},
		{"ibv_modify_srq", syscall.EINVAL, "returns; set a lower limit",
			must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t).Modify(verbs.NewSRQAttr().Limit(100))},
		{"ibv_create_ah_from_wc", syscall.EPROTONOSUPPORT, "pass the first 40 bytes",
			errorOf(pd.CreateAHFromWC(&verbs.WC{Flags: verbs.WCFlagGRH}, make([]byte, verbs.GRHSize), 1))},
		{"ibv_create_ah_from_wc", syscall.EINVAL, "pass the first 40 bytes",
			errorOf(pd.CreateAHFromWC(&verbs.WC{Flags: verbs.WCFlagGRH}, zeros, 1))},
		{"ibv_import_dm", syscall.ENOENT, "the handle must be that of device memory", errorOf(other.ImportDM(4711, 0))},
		{"ibv_import_pd", syscall.ENOENT, "the handle must be that of a protection domain", errorOf(other.ImportPD(4711))},
		{"ibv_import_mr", syscall.ENOENT, "the handle must be that of a memory region",
			errorOf(must(other.ImportPD(pd.Handle()))(t).ImportMR(4711))},
		{"ibv_dealloc_pd", syscall.EBUSY, "another context has objects of the domain", destroyUsed(t, b.dev, other)},
		{"ibv_dealloc_pd", syscall.ENOENT, "give the handle up with Unimport", closeDestroyed(t, b.dev, other)},
		{"ibv_dereg_mr", syscall.ENOENT, "give the handle up with Unimport", closeDestroyedMR(t, pd, other)},
		{"ibv_dereg_mr", syscall.EINVAL, "a memory window is bound to the region", closeBound(t, b.dev)},
	} {
		var e *verr.Error
		if !errors.As(c.err, &e) || e.Verb != c.verb || e.Errno != c.errno || e.Refused || !strings.Contains(c.err.Error(), c.words) {
			t.Errorf("%s: %v, want %v and %q", c.verb, c.err, c.errno, c.words)
		}
	}
}

// destroyUsed is the error of a destruction, by another context, of a domain that has a region.
func destroyUsed(t *testing.T, dev, other *verbs.Device) error {
	shared := must(dev.AllocPD())(t)
	must(shared.RegMR(make([]byte, 64), 0))(t)
	return must(other.ImportPD(shared.Handle()))(t).Destroy()
}

// closeDestroyed is the error of Close of a domain that another context destroyed.
func closeDestroyed(t *testing.T, dev, other *verbs.Device) error {
	shared := must(dev.AllocPD())(t)
	must(0, must(other.ImportPD(shared.Handle()))(t).Destroy())(t)
	err := shared.Close()
	return errors.Join(err, shared.Unimport())
}

func closeDestroyedMR(t *testing.T, pd *verbs.PD, other *verbs.Device) error {
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	must(0, must(must(other.ImportPD(pd.Handle()))(t).ImportMR(mr.Handle()))(t).Destroy())(t)
	err := mr.Close()
	return errors.Join(err, mr.Unimport())
}

// closeBound is the error of Close of a region with a bound window.
func closeBound(t *testing.T, dev *verbs.Device) error {
	p, _ := verbstest.Pair(t, dev)
	mw := must(p.PD.AllocMW(verbs.MWType1))(t)
	mr := must(p.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessMWBind))(t)
	must(0, p.QP.BindMW(mw, verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64, SendFlags: verbs.SendSignaled}))(t)
	must(verbstest.Wait(p.SendCQ, 1))(t)
	err := mr.Close()
	return errors.Join(err, mw.Close(), mr.Close())
}
