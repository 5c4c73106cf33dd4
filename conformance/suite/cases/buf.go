//go:build linux && cgo

package cases

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// buffers are the cases of buffers that the provider allocates.
func buffers() []suite.Case {
	buf := shared("ibv_alloc_buf", suite.Buf)
	return []suite.Case{
		buf("CF-buf-0001", "written, read, and no descriptor of it", bufAlone).Ruled("VR-ibv_export_buf_dmabuf_fd-buf-3016"),
		buf("CF-buf-0002", "two regions, which hold it", func(t *suite.T) { bufRegions(t, (*verbs.PD).RegBufMR) }).Ruled(
			"VR-ibv_free_buf-buf-3008"),
		buf("CF-buf-0003", "two regions, by ibv_reg_mr_ex", func(t *suite.T) { bufRegions(t, regBufEx) }, suite.MREx),
		buf("CF-buf-0004", "a region in another domain, or beyond its ends", bufRefused).Ruled(
			"VR-ibv_reg_buf_mr-pd-3011", "VR-ibv_reg_buf_mr-addr-3012", "VR-ibv_reg_buf_mr-length-3013"),
		buf("CF-buf-0005", "in use while the garbage collector runs hard", func(t *suite.T) {
			pd := newPD(t)
			buf := must(pd.AllocBuf(3 * usedLength))(t)
			clear(buf.Bytes()) // a provider may leave in it what was there
			used(t, buf.Bytes(), must(pd.RegBufMR(buf, buf.Addr(), buf.Len(), rw))(t))
		}, suite.Peer),
	}
}

// regBufEx registers a part of a buffer by ibv_reg_mr_ex.
func regBufEx(pd *verbs.PD, buf *verbs.Buf, addr uintptr, length uint64, access verbs.MRAccess) (*verbs.MR, error) {
	return pd.RegMREx(verbs.NewMRInitAttr(length, access).Buf(buf).Memory(mem.Addr(addr, length)))
}

func bufAlone(t *suite.T) {
	buf := must(newPD(t).AllocBuf(3*page + 1))(t)
	whole(t, "WriteAt the end", 4)(buf.WriteAt([]byte("last"), 3*page-3))
	is(t, "the length of the buffer", buf.Len(), 3*page+1)
	is(t, "the end of the buffer", string(buf.Bytes()[3*page-3:]), "last")
	failsAs(t, "ExportDMABufFD", errorOf(buf.ExportDMABufFD()), syscall.ENODATA)
	t.OK("Close", buf.Close())
}

func bufRegions(t *suite.T, reg func(*verbs.PD, *verbs.Buf, uintptr, uint64, verbs.MRAccess) (*verbs.MR, error)) {
	pd := newPD(t)
	buf := must(pd.AllocBuf(4 * page))(t)
	first := must(reg(pd, buf, buf.Addr(), page, rw))(t)
	second := must(reg(pd, buf, buf.Addr()+page, 3*page, rw))(t)
	if first.LKey() == second.LKey() {
		t.Errorf("both regions have lkey %#x", first.LKey())
	}
	use(t, made{first, buf.Bytes()[:page], uint64(buf.Addr())})
	fails(t, "Close with a region", buf.Close(), syscall.EBUSY)
	use(t, made{second, buf.Bytes()[page:], uint64(buf.Addr()) + page})
	t.OK("Close", buf.Close())
}

func bufRefused(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	buf := must(pd.AllocBuf(page))(t)
	for _, c := range []struct {
		what   string
		pd     *verbs.PD
		addr   uintptr
		length uint64
	}{
		{"in another domain", other, buf.Addr(), page},
		{"before it", pd, buf.Addr() - 1, 1},
		{"longer than it", pd, buf.Addr(), page + 1},
		{"beyond its end", pd, buf.Addr() + 1, page},
	} {
		failsAs(t, "a region "+c.what, errorOf(c.pd.RegBufMR(buf, c.addr, c.length, rw)), syscall.EINVAL)
	}
	t.OK("Close", buf.Close())
}
