//go:build linux && cgo

package cases

import (
	"bytes"
	"errors"
	"fmt"
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
	rules []string
	needs []suite.Capability
	reg   func(t *suite.T, pd *verbs.PD) made
}

// region has a case for each form: the region is what was asked for, a peer writes and reads by its key up to its end and not
// beyond, and by its key no more once it is closed.
func region() []suite.Case {
	var out []suite.Case
	for _, f := range forms() {
		out = append(out, of(id("mr", f.n), f.title, "ibv_reg_mr", func(t *suite.T) {
			pd := newPD(t)
			m := f.reg(t, pd)
			if belongs(t, "the region", m.mr, pd); m.mr.LKey() == 0 {
				t.Errorf("lkey 0")
			}
			use(t, m)
		}, f.needs...).Ruled(f.rules...))
	}
	return append(out,
		of("CF-mr-0105", "imported, given up, and deregistered through an import", "ibv_import_mr", regionImport, suite.Import).Ruled(
			"VR-ibv_import_mr-pd-3004", "VR-ibv_unimport_mr-mr-3005"),
		of("CF-mr-0101", "keys differ", "ibv_reg_mr", keysDiffer),
		of("CF-mr-0102", "a registered buffer cannot be closed", "ibv_reg_mr", bufferHeld),
		of("CF-mr-0103", "memory that is not there, or not writable", "ibv_reg_mr", unmapped),
		of("CF-mr-0104", "a null region: made, held by its domain, not changed in place", "ibv_alloc_null_mr", nullRegion, suite.NullMR).Ruled(
			"VR-ibv_alloc_null_mr-pd-0187", "VR-ibv_rereg_mr-mr-0188"),
	)
}

// host is a form over a part of host memory, or all of it. A peer names its first byte by the address at, or by its own if at is elsewhere.
func host(n int, title string, from, length uint64, at int64, reg func(pd *verbs.PD, m mem.Source) (*verbs.MR, error)) form {
	return form{n: n, title: title, rules: []string{"VR-ibv_dereg_mr-mr-0093"}, reg: func(t *suite.T, pd *verbs.PD) made {
		buf := buffer(t, 4*page)
		var m mem.Source = buf
		if length < buf.Len() {
			m = mem.Addr(buf.Addr()+uintptr(from), length)
		}
		mr := must(reg(pd, m))(t)
		t.Cleanup(func() { _ = mr.Close() }) // before the buffer's; use has closed it already when all is well
		is(t, "Length", mr.Length(), length)
		name := uint64(at)
		if at == itself {
			name = uint64(buf.Addr()) + from
		}
		return made{mr, buf.Bytes()[from : from+length], name}
	}}
}

// itself stands for a region's own address.
const itself = -1

func forms() []form {
	with := func(access verbs.MRAccess) func(*verbs.PD, mem.Source) (*verbs.MR, error) {
		return func(pd *verbs.PD, m mem.Source) (*verbs.MR, error) { return pd.RegMRFrom(m, access) }
	}
	by := func(n int, title string, from, length, iova uint64) form {
		return host(n, title, from, length, int64(iova), func(pd *verbs.PD, m mem.Source) (*verbs.MR, error) {
			return pd.RegMRIOVAFrom(m, iova, rw)
		})
	}
	ex := func(pd *verbs.PD, m mem.Source) (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(page, rw).Memory(m).IOVA(0x3000))
	}
	exPlain := func(pd *verbs.PD, m mem.Source) (*verbs.MR, error) {
		return pd.RegMREx(verbs.NewMRInitAttr(page, rw).Memory(m))
	}
	whole := func(length uint64, opts ...mem.Option) func(*suite.T, *verbs.PD) made {
		return func(t *suite.T, pd *verbs.PD) made {
			buf := buffer(t, length, opts...)
			return made{registered(t, pd, buf, rw), buf.Bytes(), uint64(buf.Addr())}
		}
	}
	list := []form{
		host(1, "a buffer", 0, 4*page, itself, with(rw)),
		host(2, "an address", page, page, itself, with(rw)),
		host(3, "an odd address and length", page-3, 77, itself, with(rw)),
		host(4, "across a page boundary", page-8, 16, itself, with(rw)),
		host(5, "an optional flag", 0, page, itself, with(rw|verbs.MRAccessRelaxedOrdering)),
		host(6, "memory windows allowed", 0, page, itself, with(rw|verbs.MRAccessMWBind)),
		by(7, "a buffer by another address", 0, 4*page, 0x10000),
		by(8, "an address by another", page+8, page, 0x7000008),
		by(9, "an address by address 0", page, page, 0),
		host(10, "the form that covers all: an address by another", page, page, 0x3000, ex),
		host(11, "the form that covers all: an address", page, page, itself, exPlain),
	}
	list[9].needs, list[10].needs = needs(suite.MREx), needs(suite.MREx)
	list[9].rules = []string{"VR-ibv_reg_mr_ex-iova-0083", "VR-ibv_reg_mr_ex-comp_mask-0076"}
	return append(list,
		form{n: 12, title: "a slice of Go memory", reg: func(t *suite.T, pd *verbs.PD) made {
			return slice(t, pd, make([]byte, page+100))
		}},
		form{n: 13, title: "one byte of a slice", reg: func(t *suite.T, pd *verbs.PD) made {
			return slice(t, pd, make([]byte, 64)[7:8])
		}},
		form{n: 14, title: "a slice by another address", reg: func(t *suite.T, pd *verbs.PD) made {
			b := make([]byte, page)
			probe := must(pd.RegMR(b, 0))(t)
			inPage := uint64(probe.Addr()) % page
			t.OK("Close", probe.Close())
			return made{must(pd.RegMRIOVA(b, 0x500000+inPage, rw))(t), b, 0x500000 + inPage}
		}},
		form{n: 15, title: "huge pages", needs: needs(suite.HugePages), reg: whole(2<<20, mem.HugePages(0))},
		form{n: 16, title: "more than 4 GiB", needs: needs(suite.Memory), reg: whole(5 << 30)},
		form{n: 17, title: "part of a descriptor's memory", rules: []string{"VR-ibv_reg_dmabuf_mr-iova-0046"},
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
		form{n: 18, title: "the form that covers all: part of a descriptor's memory",
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

func slice(t *suite.T, pd *verbs.PD, b []byte) made {
	mr := must(pd.RegMR(b, rw))(t)
	return made{mr, b, uint64(mr.Addr())}
}

// descriptor registers the second of two pages of a descriptor's memory.
func descriptor(t *suite.T, at uint64, reg func(fd int) (*verbs.MR, error)) made {
	fd := dmaBuf(t, 2*page)
	view := mmap(t, fd, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	mr := must(reg(fd))(t)
	is(t, "Length", mr.Length(), page)
	return made{mr, view[page:], at}
}

// mmap maps memory for as long as the case runs.
func mmap(t *suite.T, fd, length, prot, flags int) []byte {
	b := must(unix.Mmap(fd, 0, length, prot, flags))(t)
	t.Cleanup(func() { t.OK("unmapping", unix.Munmap(b)) })
	return b
}

// use has the peer, where there is one, write and read at the start and at the end of a region, then closes it.
func use(t *suite.T, m made) {
	length := m.mr.Length()
	p := t.PeerOf(m.mr.PD())
	if p != nil {
		n := min(length, 12)
		text := []byte("from a peer.")[:n]
		for _, off := range []uint64{0, length - n} {
			p.Write("write", m.mr.RKey(), m.at+off, text)
			if got := m.view[off : off+n]; !bytes.Equal(got, text) {
				t.Errorf("at %d the memory holds %q", off, got)
			}
			copy(m.view[off:], bytes.ToUpper(text))
			back := make([]byte, n)
			p.Read("read", m.mr.RKey(), m.at+off, back)
			is(t, fmt.Sprintf("read at %d", off), string(back), string(bytes.ToUpper(text)))
		}
		p.Write("write past the end", m.mr.RKey(), m.at+length-n+1, text, verbs.WCStatusRemAccessErr)
		if m.at > 0 {
			p.Write("write before the start", m.mr.RKey(), m.at-1, text, verbs.WCStatusRemAccessErr)
		}
	}
	rkey := m.mr.RKey()
	needed(t, "Close", m.mr.Close())
	if p != nil {
		p.Write("write by the key of a closed region", rkey, m.at, []byte("x"), verbs.WCStatusRemAccessErr)
		t.OK("closing the connection", p.Close())
	}
	fails(t, "second Close", m.mr.Close(), os.ErrClosed)
}

func keysDiffer(t *suite.T) {
	pd := newPD(t)
	buf := make([]byte, page)
	l, r, h := map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}
	for range 32 {
		mr := must(pd.RegMR(buf, rw))(t)
		l[mr.LKey()], r[mr.RKey()], h[mr.Handle()] = true, true, true
	}
	is(t, "local keys, remote keys and handles of 32 regions", [3]int{len(l), len(r), len(h)}, [3]int{32, 32, 32})
}

func bufferHeld(t *suite.T) {
	pd := newPD(t)
	buf := must(mem.New(page))(t)
	mr := must(pd.RegMRFrom(buf, 0))(t)
	inUse(t, buf.Close(), "MR (lkey")
	t.OK("Close of the region", mr.Close())
	t.OK("Close of the buffer", buf.Close())
}

func unmapped(t *suite.T) {
	pd := newPD(t)
	none := addressOf(mmap(t, -1, page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON))
	read := addressOf(mmap(t, -1, page, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON))
	reg := func(at uintptr, access verbs.MRAccess) error {
		return errorOf(pd.RegMRFrom(mem.Addr(at, page), access))
	}
	t.Errno("NULL", reg(0, 0), syscall.EFAULT)
	t.Errno("memory without access", reg(none, rw), syscall.EFAULT)
	t.Errno("read-only memory for writing", reg(read, verbs.MRAccessLocalWrite), syscall.EFAULT)
	t.OK("read-only memory for reading", reg(read, verbs.MRAccessRemoteRead))
}

func nullRegion(t *suite.T) {
	pd := newPD(t)
	mr := must(pd.AllocNullMR())(t)
	if mr.LKey() == 0 && t.Soft() != nil {
		t.Errorf("lkey 0")
	}
	fails(t, "Close of the domain", pd.Close(), syscall.EBUSY)
	failsAs(t, "a change of it", mr.Rereg(new(verbs.MRChange).Access(0)), syscall.EINVAL, errors.ErrUnsupported)
	t.OK("Close", mr.Close())
}

func regionImport(t *suite.T) {
	pd, buf := newPD(t), must(mem.New(page))(t)
	mr := must(pd.RegMRFrom(buf, 0))(t)
	far := must(importer(t).ImportPD(pd.Handle()))(t)
	first := must(far.ImportMR(mr.Handle()))(t)
	if first.LKey() != mr.LKey() || first.RKey() != mr.RKey() || first.Length() != page || first.Addr() != 0 {
		t.Errorf("keys %#x and %#x, length %d at %#x; want those of %#x and %#x", first.LKey(), first.RKey(), first.Length(),
			first.Addr(), mr.LKey(), mr.RKey())
	}
	t.OK("Close of the import", first.Close())
	second := must(far.ImportMR(mr.Handle()))(t)
	t.OK("Destroy of the import", second.Destroy())
	giveUp(t, mr)
	fails(t, "Close of the buffer", buf.Close(), syscall.EBUSY) // a device may still use it
}

func rereg() []suite.Case {
	change := shared("ibv_rereg_mr")
	return []suite.Case{
		change("CF-rer-0001", "other memory", reregMemory, suite.ReregMemory).Ruled("VR-ibv_rereg_mr-addr-0176", "VR-ibv_rereg_mr-length-0177"),
		change("CF-rer-0002", "another protection domain", reregPD, suite.ReregPD).Ruled("VR-ibv_rereg_mr-pd-0175"),
		change("CF-rer-0003", "other access", reregAccess, suite.ReregAccess).Ruled("VR-ibv_rereg_mr-access-0183"),
		change("CF-rer-0004", "all three at once", reregAll, suite.ReregMemory, suite.ReregPD, suite.ReregAccess).Ruled(
			"VR-ibv_rereg_mr-flags-0173"),
		change("CF-rer-0005", "a change that the device lacks leaves the region as it is", reregLacking),
	}
}

func reregMemory(t *suite.T) {
	pd := newPD(t)
	old, next := must(mem.New(page))(t), must(mem.New(2*page))(t)
	mr := must(pd.RegMRFrom(old, rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).Memory(next)))
	t.OK("closing the old buffer", old.Close())
	fails(t, "Close of the new buffer", next.Close(), syscall.EBUSY)
	is(t, "Length", mr.Length(), 2*page)
	is(t, "Addr", mr.Addr(), next.Addr())
	use(t, made{mr, next.Bytes(), uint64(next.Addr())})
	t.OK("closing the new buffer", next.Close())
}

func reregPD(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	mr := must(pd.RegMR(make([]byte, page), rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).PD(other)))
	is(t, "PD", mr.PD(), other)
	t.OK("Close of the old domain", pd.Close())
	fails(t, "Close of the new domain", other.Close(), syscall.EBUSY)
	t.OK("Close", mr.Close())
	t.OK("Close of the new domain", other.Close())
}

func reregAccess(t *suite.T) {
	pd := newPD(t)
	buf := make([]byte, page)
	mr := must(pd.RegMR(buf, rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessRemoteRead)))
	if p := t.PeerOf(pd); p != nil {
		p.Write("write without the right", mr.RKey(), uint64(mr.Addr()), []byte("no"), verbs.WCStatusRemAccessErr)
		p.Read("read", mr.RKey(), uint64(mr.Addr()), make([]byte, 2))
	}
	needed(t, "back", mr.Rereg(new(verbs.MRChange).Access(rw)))
	use(t, made{mr, buf, uint64(mr.Addr())})
}

func reregAll(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	next := must(mem.New(page))(t)
	mr := must(pd.RegMR(make([]byte, page), 0))(t)
	need(t, mr.Rereg(new(verbs.MRChange).PD(other).Access(rw).Memory(next)))
	t.OK("Close of the old domain", pd.Close())
	use(t, made{mr, next.Bytes(), uint64(next.Addr())})
	t.OK("closing the new buffer", next.Close())
	t.OK("Close of the new domain", other.Close())
}

func reregLacking(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	buf := buffer(t, 2*page)
	mr := registered(t, pd, mem.Addr(buf.Addr(), page), rw)
	for _, l := range []struct {
		c      suite.Capability
		change *verbs.MRChange
	}{{suite.ReregMemory, new(verbs.MRChange).Memory(mem.Addr(buf.Addr()+page, page))}, {suite.ReregPD, new(verbs.MRChange).PD(other)},
		{suite.ReregAccess, new(verbs.MRChange).Access(0)}} {
		if t.Has(l.c) {
			continue
		}
		failsAs(t, string(l.c), mr.Rereg(l.change), errors.ErrUnsupported)
	}
	if !t.Has(suite.ReregPD) {
		is(t, "PD", mr.PD(), pd)
	}
	use(t, made{mr, buf.Bytes()[:page], uint64(buf.Addr())})
}
