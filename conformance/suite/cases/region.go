//go:build linux

package cases

import (
	"bytes"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// made is a region, what of the program's memory it covers, and the address by which a peer names its first byte.
type made struct {
	mr   *verbs.MR
	view []byte // nil where the program cannot see the memory
	at   uint64
}

// form is one way to register memory.
type form struct {
	n     int
	title string
	page  string
	rules []string
	needs []suite.Capability
	reg   func(t *suite.T, pd *verbs.PD) made
}

// region has a case for each form: the region is what was asked for, a peer writes and reads by its key up to its end and not
// beyond, and by its key no more once it is closed.
func region() []suite.Case {
	var out []suite.Case
	for _, f := range forms() {
		out = append(out, suite.Case{ID: id("mr", f.n), Family: "memory region", Title: f.title, Page: f.page, Rules: f.rules, Needs: f.needs,
			Run: func(t *suite.T) {
				pd := newPD(t)
				m := f.reg(t, pd)
				if m.mr.PD() != pd || m.mr.Device() != t.Device() || m.mr.LKey() == 0 {
					t.Errorf("lkey %#x, or another domain or device", m.mr.LKey())
				}
				use(t, m)
			}})
	}
	return append(out,
		suite.Case{ID: "CF-mr-0105", Family: "memory region", Title: "imported, given up, and deregistered through an import",
			Page:  "ibv_import_mr",
			Rules: []string{"VR-ibv_import_mr-pd-3004", "VR-ibv_unimport_mr-mr-3005"}, Needs: needs(suite.Import), Run: regionImport},
		suite.Case{ID: "CF-mr-0101", Family: "memory region", Title: "keys differ", Page: "ibv_reg_mr", Run: keysDiffer},
		suite.Case{ID: "CF-mr-0102", Family: "memory region", Title: "a registered buffer cannot be closed", Page: "ibv_reg_mr", Run: bufferHeld},
		suite.Case{ID: "CF-mr-0103", Family: "memory region", Title: "memory that is not there, or not writable", Page: "ibv_reg_mr",
			Run: unmapped},
		suite.Case{ID: "CF-mr-0104", Family: "memory region", Title: "a null region: made, held by its domain, not changed in place",
			Page:  "ibv_alloc_null_mr",
			Rules: []string{"VR-ibv_alloc_null_mr-pd-0187", "VR-ibv_rereg_mr-mr-0188"}, Needs: needs(suite.NullMR), Run: nullRegion},
	)
}

// host is a form over host memory, whose last argument is the address that a peer uses.
func host(n int, title, name string, length uint64, reg func(pd *verbs.PD, buf *mem.Buffer) (*verbs.MR, error), from uint64,
	at func(buf *mem.Buffer) uint64) form {
	return form{n: n, title: title, page: name, rules: []string{"VR-ibv_dereg_mr-mr-0093"}, reg: func(t *suite.T, pd *verbs.PD) made {
		buf := buffer(t, 4*page)
		mr := must(reg(pd, buf))(t)
		t.Cleanup(func() { _ = mr.Close() }) // before the buffer's; use has closed it already when all is well
		if mr.Length() != length {
			t.Errorf("Length %d, want %d", mr.Length(), length)
		}
		return made{mr, buf.Bytes()[from : from+length], at(buf)}
	}}
}

func forms() []form {
	const plain, iova = "ibv_reg_mr", "ibv_reg_mr"
	at := func(off uint64) func(*mem.Buffer) uint64 {
		return func(b *mem.Buffer) uint64 { return uint64(b.Addr()) + off }
	}
	is := func(v uint64) func(*mem.Buffer) uint64 { return func(*mem.Buffer) uint64 { return v } }
	list := []form{
		host(1, "a buffer", plain, 4*page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) { return pd.RegMRFrom(b, rw) }, 0, at(0)),
		host(2, "an address", plain, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR,
			error) {
			return pd.RegMRFrom(mem.Addr(b.Addr()+page, page), rw)
		}, page, at(page)),
		host(3, "an odd address and length", plain, 77,
			func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
				return pd.RegMRFrom(mem.Addr(b.Addr()+page-3, 77), rw)
			}, page-3, at(page-3)),
		host(4, "across a page boundary", plain, 16,
			func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
				return pd.RegMRFrom(mem.Addr(b.Addr()+page-8, 16), rw)
			}, page-8, at(page-8)),
		host(5, "an optional flag", plain, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
			return pd.RegMRFrom(mem.Addr(b.Addr(), page), rw|verbs.MRAccessRelaxedOrdering)
		}, 0, at(0)),
		host(6, "memory windows allowed", plain, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
			return pd.RegMRFrom(mem.Addr(b.Addr(), page), rw|verbs.MRAccessMWBind)
		}, 0, at(0)),
		host(7, "a buffer by another address", iova, 4*page,
			func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) { return pd.RegMRIOVAFrom(b, 0x10000, rw) }, 0, is(0x10000)),
		host(8, "an address by another", iova, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
			return pd.RegMRIOVAFrom(mem.Addr(b.Addr()+page+8, page), 0x7000008, rw)
		}, page+8, is(0x7000008)),
		host(9, "an address by address 0", iova, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
			return pd.RegMRIOVAFrom(mem.Addr(b.Addr()+page, page), 0, rw)
		}, page, is(0)),
	}
	ex := host(10, "the form that covers all: an address by another", plain, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(page, rw).Memory(mem.Addr(b.Addr()+page, page)).IOVA(0x3000))
	}, page, is(0x3000))
	ex.needs = needs(suite.MREx)
	ex.rules = []string{"VR-ibv_reg_mr_ex-iova-0083", "VR-ibv_reg_mr_ex-comp_mask-0076"}
	exPlain := host(11, "the form that covers all: an address", plain, page, func(pd *verbs.PD, b *mem.Buffer) (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(page, rw).Memory(mem.Addr(b.Addr()+page, page)))
	}, page, at(page))
	exPlain.needs = needs(suite.MREx)
	return append(list, ex, exPlain,
		form{n: 12, title: "a slice of Go memory", page: plain, reg: func(t *suite.T, pd *verbs.PD) made {
			b := make([]byte, page+100)
			mr := must(pd.RegMR(b, rw))(t)
			return made{mr, b, uint64(mr.Addr())}
		}},
		form{n: 13, title: "one byte of a slice", page: plain, reg: func(t *suite.T, pd *verbs.PD) made {
			b := make([]byte, 64)
			mr := must(pd.RegMR(b[7:8], rw))(t)
			return made{mr, b[7:8], uint64(mr.Addr())}
		}},
		form{n: 14, title: "a slice by another address", page: iova, reg: func(t *suite.T, pd *verbs.PD) made {
			b := make([]byte, page)
			probe := must(pd.RegMR(b, 0))(t)
			inPage := uint64(probe.Addr()) % page
			ok(t, "Close", probe.Close())
			return made{must(pd.RegMRIOVA(b, 0x500000+inPage, rw))(t), b, 0x500000 + inPage}
		}},
		form{n: 15, title: "huge pages", page: plain, needs: needs(suite.HugePages), reg: func(t *suite.T, pd *verbs.PD) made {
			buf := must(mem.New(2<<20, mem.HugePages(0)))(t)
			t.Cleanup(func() { ok(t, "closing the buffer", buf.Close()) })
			mr := must(pd.RegMRFrom(buf, rw))(t)
			t.Cleanup(func() { _ = mr.Close() })
			return made{mr, buf.Bytes(), uint64(buf.Addr())}
		}},
		form{n: 16, title: "more than 4 GiB", page: plain, needs: needs(suite.Memory), reg: func(t *suite.T, pd *verbs.PD) made {
			buf := buffer(t, 5<<30)
			mr := must(pd.RegMRFrom(buf, rw))(t)
			t.Cleanup(func() { _ = mr.Close() })
			return made{mr, buf.Bytes(), uint64(buf.Addr())}
		}},
		form{n: 17, title: "part of a descriptor's memory", page: plain, rules: []string{"VR-ibv_reg_dmabuf_mr-iova-0046"},
			needs: needs(suite.DMABuf, suite.DMABufMemory),
			reg: func(t *suite.T, pd *verbs.PD) made {
				return descriptor(t, 0x20000, func(fd int) (*verbs.MR, error) {
					mr, err := pd.RegDMABufMR(mem.DMABuf{FD: fd, Offset: page, Length: page}, 0x20000, verbs.DMABufAccess(rw))
					if err == nil && mr.Addr() != page {
						t.Errorf("Addr %#x is not the offset in the dma-buf", mr.Addr())
					}
					return mr, err
				})
			}},
		form{n: 18, title: "the form that covers all: part of a descriptor's memory", page: plain,
			rules: []string{"VR-ibv_reg_mr_ex-iova-0082", "VR-ibv_reg_mr_ex-comp_mask-0078", "VR-ibv_reg_mr_ex-comp_mask-0079"},
			needs: needs(suite.DMABuf, suite.DMABufMemory, suite.MREx), reg: func(t *suite.T, pd *verbs.PD) made {
				return descriptor(t, 0x30000, func(fd int) (*verbs.MR, error) {
					mr, err := pd.RegMREx(verbs.NewMRInitAttr(page, rw).FD(fd).FDOffset(page).IOVA(0x30000))
					if errors.Is(err, errors.ErrUnsupported) { // a kernel without the method: there is no older command with a descriptor
						t.Lack(suite.MREx, err)
					}
					return mr, err
				})
			}},
	)
}

// descriptor registers the second of two pages of a descriptor's memory.
func descriptor(t *suite.T, at uint64, reg func(fd int) (*verbs.MR, error)) made {
	fd := must(suite.DMABufFD(t, 2*page))(t)
	t.Cleanup(func() { ok(t, "closing the descriptor", unix.Close(fd)) })
	view := must(unix.Mmap(fd, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
	t.Cleanup(func() { ok(t, "unmapping", unix.Munmap(view)) })
	mr := must(reg(fd))(t)
	if mr.Length() != page {
		t.Errorf("Length %d", mr.Length())
	}
	return made{mr, view[page:], at}
}

// use has the peer, where there is one, write and read at the start and at the end of a region, then closes it.
func use(t *suite.T, m made) {
	length := m.mr.Length()
	p := t.PeerOf(m.mr.PD())
	if p != nil {
		n := min(length, 12)
		text := []byte("from a peer.")[:n]
		for _, off := range []uint64{0, length - n} {
			status, err := p.Write(m.mr.RKey(), m.at+off, text)
			pass(t, "write", status, err)
			if got := m.view[off : off+n]; !bytes.Equal(got, text) {
				t.Errorf("at %d the memory holds %q", off, got)
			}
			copy(m.view[off:], bytes.ToUpper(text))
			back := make([]byte, n)
			status, err = p.Read(m.mr.RKey(), m.at+off, back)
			pass(t, "read", status, err)
			if !bytes.Equal(back, bytes.ToUpper(text)) {
				t.Errorf("read at %d: %q", off, back)
			}
		}
		status, err := p.Write(m.mr.RKey(), m.at+length-n+1, text)
		completed(t, "write past the end", status, err, suite.StatusRemAccess)
		if m.at > 0 {
			status, err = p.Write(m.mr.RKey(), m.at-1, text)
			completed(t, "write before the start", status, err, suite.StatusRemAccess)
		}
	}
	rkey := m.mr.RKey()
	if err := m.mr.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	if p != nil {
		status, err := p.Write(rkey, m.at, []byte("x"))
		completed(t, "write by the key of a closed region", status, err, suite.StatusRemAccess)
		ok(t, "closing the connection", p.Close())
	}
	fails(t, "second Close", m.mr.Close(), os.ErrClosed)
}

func keysDiffer(t *suite.T) {
	pd := newPD(t)
	buf := make([]byte, page)
	l, r, h := map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}
	const n = 32
	for range n {
		mr := must(pd.RegMR(buf, rw))(t)
		l[mr.LKey()], r[mr.RKey()], h[mr.Handle()] = true, true, true
	}
	if len(l) != n || len(r) != n || len(h) != n {
		t.Errorf("%d regions have %d local keys, %d remote keys, %d handles", n, len(l), len(r), len(h))
	}
}

func bufferHeld(t *suite.T) {
	pd := newPD(t)
	buf := must(mem.New(page))(t)
	mr := must(pd.RegMRFrom(buf, 0))(t)
	inUse(t, buf.Close(), "MR (lkey")
	ok(t, "Close of the region", mr.Close())
	ok(t, "Close of the buffer", buf.Close())
}

func unmapped(t *suite.T) {
	pd := newPD(t)
	none := must(unix.Mmap(-1, 0, page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON))(t)
	t.Cleanup(func() { ok(t, "unmapping", unix.Munmap(none)) })
	read := must(unix.Mmap(-1, 0, page, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON))(t)
	t.Cleanup(func() { ok(t, "unmapping", unix.Munmap(read)) })
	_, err := pd.RegMRFrom(mem.Addr(0, page), 0)
	t.Errno("NULL", err, syscall.EFAULT)
	_, err = pd.RegMRFrom(mem.Addr(addressOf(none), page), rw)
	t.Errno("memory without access", err, syscall.EFAULT)
	_, err = pd.RegMRFrom(mem.Addr(addressOf(read), page), verbs.MRAccessLocalWrite)
	t.Errno("read-only memory for writing", err, syscall.EFAULT)
	_, err = pd.RegMRFrom(mem.Addr(addressOf(read), page), verbs.MRAccessRemoteRead)
	ok(t, "read-only memory for reading", err)
}

func nullRegion(t *suite.T) {
	pd := newPD(t)
	mr := must(pd.AllocNullMR())(t)
	if mr.LKey() == 0 && t.Soft() != nil {
		t.Errorf("lkey 0")
	}
	fails(t, "Close of the domain", pd.Close(), syscall.EBUSY)
	err := mr.Rereg(new(verbs.MRChange).Access(0))
	t.Saw("a change of it", err)
	fails(t, "a change of it", err, syscall.EINVAL, errors.ErrUnsupported)
	ok(t, "Close", mr.Close())
}
