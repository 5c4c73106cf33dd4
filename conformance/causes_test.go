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
	for _, c := range []struct {
		verb  string
		errno syscall.Errno
		words string
		call  func(t *testing.T) error
	}{
		{"ibv_alloc_buf", syscall.ENOMEM, "cannot get so much memory", func(*testing.T) error {
			_, err := pd.AllocBuf(1 << 62)
			return err
		}},
		{"ibv_export_buf_dmabuf_fd", syscall.ENODATA, "this buffer is not in a dma-buf, so it has no file descriptor", func(*testing.T) error {
			_, err := buf.ExportDMABufFD()
			return err
		}},
		{"ibv_reg_buf_mr", syscall.EINVAL, "the region must begin within the buffer", func(*testing.T) error {
			_, err := pd.RegBufMR(buf, buf.Addr()-4096, 4096, 0)
			return err
		}},
		{"ibv_reg_buf_mr", syscall.EINVAL, "the region must end within the buffer", func(*testing.T) error {
			_, err := pd.RegBufMR(buf, buf.Addr(), 8192, 0)
			return err
		}},
		{"ibv_reg_buf_mr", syscall.EINVAL, "pass the protection domain of the buffer", func(*testing.T) error {
			_, err := foreign.RegBufMR(buf, buf.Addr(), 4096, 0)
			return err
		}},
		{"ibv_reg_mr_ex", syscall.EINVAL, "a region of a buffer lies within the buffer", func(*testing.T) error {
			_, err := pd.RegMREx(verbs.NewMRInitAttr(8192, 0).Buf(buf).Memory(mem.Addr(buf.Addr(), 8192)))
			return err
		}},
		{"ibv_alloc_dm", syscall.EINVAL, "log_align_req 40 may be more than the device can align to", func(*testing.T) error {
			_, err := b.dev.AllocDM(verbs.NewAllocDMAttr(4096).LogAlignReq(40))
			return err
		}},
		{"ibv_query_gid_ex", syscall.ENODATA, "entry 200 of the GID table of port 1 is empty; use one of 0: fe80::", func(*testing.T) error {
			_, err := b.dev.QueryGIDEx(1, 200)
			return err
		}},
		{"ibv_query_gid_ex", syscall.EINVAL, "entry 5000 of the GID table of port 1 does not exist (it has 1024); use one of 0: fe80::",
			func(*testing.T) error {
				_, err := b.dev.QueryGIDEx(1, 5000)
				return err
			}},
		{"ibv_query_gid", syscall.EINVAL, "entry 5000 of the GID table of port 1 does not exist (it has 1024); use one of 0: fe80::",
			func(*testing.T) error {
				_, err := b.dev.QueryGID(1, 5000)
				return err
			}},
		{"ibv_create_ah", syscall.ENETUNREACH, "; may be: no route leads to 2001::1; look at ip route get 2001::1", func(t *testing.T) error {
			_, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(verbs.ParseGID("2001::1"))(t)})
			return err
		}},
		{"ibv_create_ah", syscall.ETIMEDOUT, "; may be: nobody answers at 192.0.2.1 on the network of the local GID; look at ip neigh",
			func(t *testing.T) error {
				away := must(verbs.ParseGID("::ffff:192.0.2.1"))(t)
				_, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: away, SGIDIndex: 1})
				return err
			}},
		{"ibv_create_ah", syscall.EINVAL, ", and DGID is the IPv4 address 192.0.2.1; use one of 1: 10.0.0.1", func(t *testing.T) error {
			_, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(verbs.ParseGID("::ffff:192.0.2.1"))(t)})
			return err
		}},
		{"ibv_create_ah", syscall.ENETUNREACH, "; may be: DGID is all zeros; set it to the GID of the peer", func(*testing.T) error {
			_, err := pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true})
			return err
		}},
		{"ibv_query_gid_table", syscall.EINVAL, "the list is too short", func(*testing.T) error {
			_, err := b.dev.QueryGIDTable(make([]verbs.GIDEntry, 1))
			return err
		}},
		{"ibv_query_pkey", syscall.ENOENT, "within the partition table", func(*testing.T) error {
			_, err := b.dev.QueryPKey(1, 100)
			return err
		}},
		{"ibv_get_pkey_index", syscall.ENOENT, "does not have the key", func(*testing.T) error {
			_, err := b.dev.GetPKeyIndex(1, 0x1234)
			return err
		}},
		{"ibv_resolve_eth_l2_from_gid", syscall.EHOSTUNREACH, "nobody has the destination GID", func(t *testing.T) error {
			away := must(verbs.ParseGID("::ffff:192.0.2.1"))(t)
			_, _, err := b.dev.ResolveEthL2FromGID(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: away})
			return err
		}},
		{"ibv_open_xrcd", syscall.EAGAIN, "O_CREAT makes one", func(*testing.T) error {
			_, err := b.dev.OpenXRCD(verbs.NewXRCDInitAttr(int(file.Fd()), 0))
			return err
		}},
		{"ibv_open_xrcd", syscall.EBADF, "fd is not an open file", func(*testing.T) error {
			_, err := b.dev.OpenXRCD(verbs.NewXRCDInitAttr(1<<20, os.O_CREATE))
			return err
		}},
		{"ibv_read_counters", syscall.EINVAL, "no flow has these counters", func(t *testing.T) error {
			counters := must(b.dev.CreateCounters())(t)
			return counters.Read(make([]uint64, 2), 0)
		}},
		{"ibv_create_qp", syscall.EINVAL, "may be: MaxInlineData is 1073741824, and the device may", func(t *testing.T) error {
			cq := must(b.dev.CreateCQ(1, nil, 0))(t)
			_, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1,
				MaxInlineData: 1 << 30})
			return err
		}},
		{"ibv_modify_srq", syscall.EINVAL, "returns; set a lower limit", func(t *testing.T) error {
			srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
			return srq.Modify(verbs.NewSRQAttr().Limit(100))
		}},
		{"ibv_create_ah_from_wc", syscall.EPROTONOSUPPORT, "pass the first 40 bytes", func(*testing.T) error {
			_, err := pd.CreateAHFromWC(&verbs.WC{Flags: verbs.WCFlagGRH}, make([]byte, verbs.GRHSize), 1)
			return err
		}},
		{"ibv_create_ah_from_wc", syscall.EINVAL, "pass the first 40 bytes", func(*testing.T) error {
			grh := make([]byte, verbs.GRHSize)
			grh[0], grh[6] = 6<<4, 17 // IPv6 and UDP, to the address 0
			_, err := pd.CreateAHFromWC(&verbs.WC{Flags: verbs.WCFlagGRH}, grh, 1)
			return err
		}},
		{"ibv_import_dm", syscall.ENOENT, "the handle must be that of device memory", func(*testing.T) error {
			_, err := other.ImportDM(4711, 0)
			return err
		}},
		{"ibv_import_pd", syscall.ENOENT, "the handle must be that of a protection domain", func(*testing.T) error {
			_, err := other.ImportPD(4711)
			return err
		}},
		{"ibv_import_mr", syscall.ENOENT, "the handle must be that of a memory region", func(t *testing.T) error {
			_, err := must(other.ImportPD(pd.Handle()))(t).ImportMR(4711)
			return err
		}},
		{"ibv_dealloc_pd", syscall.EBUSY, "another context has objects of the domain", func(t *testing.T) error {
			shared := must(b.dev.AllocPD())(t)
			imported := must(other.ImportPD(shared.Handle()))(t)
			must(shared.RegMR(make([]byte, 64), 0))(t)
			return imported.Destroy()
		}},
		{"ibv_dealloc_pd", syscall.ENOENT, "give the handle up with Unimport", func(t *testing.T) error {
			shared := must(b.dev.AllocPD())(t)
			if err := must(other.ImportPD(shared.Handle()))(t).Destroy(); err != nil {
				t.Fatal(err)
			}
			err := shared.Close()
			return errors.Join(err, shared.Unimport())
		}},
		{"ibv_dereg_mr", syscall.ENOENT, "give the handle up with Unimport", func(t *testing.T) error {
			imported := must(other.ImportPD(pd.Handle()))(t)
			mr := must(pd.RegMR(make([]byte, 64), 0))(t)
			if err := must(imported.ImportMR(mr.Handle()))(t).Destroy(); err != nil {
				t.Fatal(err)
			}
			err := mr.Close()
			return errors.Join(err, mr.Unimport())
		}},
		{"ibv_dereg_mr", syscall.EINVAL, "a memory window is bound to the region", func(t *testing.T) error {
			p, _, err := verbstest.Connect(b.dev, b.dev)
			if err != nil {
				t.Fatal(err)
			}
			mw := must(p.PD.AllocMW(verbs.MWType1))(t)
			mr := must(p.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessMWBind))(t)
			if err := p.QP.BindMW(mw, verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64, SendFlags: verbs.SendSignaled}); err != nil {
				t.Fatal(err)
			}
			must(verbstest.Wait(p.SendCQ, 1))(t)
			err = mr.Close()
			return errors.Join(err, mw.Close(), mr.Close())
		}},
	} {
		t.Run(c.verb, func(t *testing.T) {
			err := c.call(t)
			var e *verr.Error
			if !errors.As(err, &e) || e.Verb != c.verb || e.Errno != c.errno || e.Refused || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, want %v and %q", err, c.errno, c.words)
			}
		})
	}
}
