//go:build linux && cgo

package cases

import (
	"errors"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// buffers are the cases of buffers that the provider allocates.
func buffers() []suite.Case {
	return []suite.Case{
		of("CF-buf-0001", "written, read, and no descriptor of it", "ibv_alloc_buf", bufAlone, suite.Buf).Ruled(
			"VR-ibv_export_buf_dmabuf_fd-buf-3016"),
		of("CF-buf-0002", "two regions, which hold it", "ibv_alloc_buf",
			func(t *suite.T) { bufRegions(t, (*verbs.PD).RegBufMR) }, suite.Buf).Ruled("VR-ibv_free_buf-buf-3008"),
		of("CF-buf-0003", "two regions, by ibv_reg_mr_ex", "ibv_alloc_buf", func(t *suite.T) { bufRegions(t, regBufEx) }, suite.Buf, suite.MREx),
		of("CF-buf-0004", "a region in another domain, or beyond its ends", "ibv_alloc_buf", bufRefused, suite.Buf).Ruled(
			"VR-ibv_reg_buf_mr-pd-3011", "VR-ibv_reg_buf_mr-addr-3012", "VR-ibv_reg_buf_mr-length-3013"),
		of("CF-buf-0005", "in use while the garbage collector runs hard", "ibv_alloc_buf", func(t *suite.T) {
			pd := newPD(t)
			buf := must(pd.AllocBuf(3 * usedLength))(t)
			clear(buf.Bytes()) // a provider may leave in it what was there
			used(t, pd, buf.Bytes(), must(pd.RegBufMR(buf, buf.Addr(), buf.Len(), rw))(t))
		}, suite.Buf, suite.Peer),
	}
}

// regBufEx registers a part of a buffer by ibv_reg_mr_ex.
func regBufEx(pd *verbs.PD, buf *verbs.Buf, addr uintptr, length uint64, access verbs.MRAccess) (*verbs.MR, error) {
	return pd.RegMREx(verbs.NewMRInitAttr(length, access).Buf(buf).Memory(mem.Addr(addr, length)))
}

func bufAlone(t *suite.T) {
	buf := must(newPD(t).AllocBuf(3*page + 1))(t)
	if n, err := buf.WriteAt([]byte("last"), 3*page-3); n != 4 || err != nil {
		t.Errorf("WriteAt the end: %d, %v", n, err)
	}
	if buf.Len() != 3*page+1 || string(buf.Bytes()[3*page-3:]) != "last" {
		t.Errorf("%d bytes, of which the last are %q", buf.Len(), buf.Bytes()[3*page-3:])
	}
	_, err := buf.ExportDMABufFD()
	t.Saw("ExportDMABufFD", err)
	fails(t, "ExportDMABufFD", err, syscall.ENODATA)
	ok(t, "Close", buf.Close())
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
	ok(t, "Close", buf.Close())
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
		_, err := c.pd.RegBufMR(buf, c.addr, c.length, rw)
		t.Saw("a region "+c.what, err)
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("a region %s: %v", c.what, err)
		}
	}
	ok(t, "Close", buf.Close())
}
