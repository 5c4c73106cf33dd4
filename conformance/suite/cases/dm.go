//go:build linux && cgo

package cases

import (
	"errors"
	"math"
	"os"
	"slices"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const dmAll = verbs.DMAccessZeroBased | verbs.DMAccessLocalWrite | verbs.DMAccessRemoteWrite | verbs.DMAccessRemoteRead

func deviceMemory() []suite.Case {
	dm := shared("ibv_alloc_dm", suite.DM)
	list := []suite.Case{
		dm("CF-dm-0001", "allocated, copied to and from", dmCopies).Ruled("VR-ibv_memcpy_to_dm-dm-0104", "VR-ibv_memcpy_from_dm-dm-0110"),
		dm("CF-dm-0002", "copies out of range or out of step", dmBadCopies).Ruled(
			"VR-ibv_memcpy_to_dm-dm_offset-0106", "VR-ibv_memcpy_from_dm-dm_offset-0112"),
		dm("CF-dm-0003", "every alignment up to a page", dmAlignment).Ruled("VR-ibv_alloc_dm-log_align_req-0100"),
		dm("CF-dm-0004", "a region over all of it: a peer writes and reads from 0", dmRegion).Ruled("VR-ibv_reg_dm_mr-access-0002"),
		dm("CF-dm-0005", "a region over a part of it", dmPart).Ruled("VR-ibv_reg_dm_mr-dm_offset-0123", "VR-ibv_reg_dm_mr-dm_offset-0124"),
		dm("CF-dm-0006", "freed while a region stands", dmFreeEarly).Ruled("VR-ibv_free_dm-dm-0103"),
		dm("CF-dm-0007", "more than there is", dmTooMuch).Ruled("VR-ibv_alloc_dm-length-0097"),
		dm("CF-dm-0008", "a peer's atomics on it", dmAtomics, suite.Peer, suite.Atomics).Ruled("VR-ibv_reg_dm_mr-access-0117"),
		of("CF-dm-0009", "a device without refuses to allocate", "ibv_alloc_dm", dmNone),
		of("CF-dm-0010", "imported, used, and given up", "ibv_import_dm", dmImport, suite.DM, suite.Import, suite.ImportDM).Ruled(
			"VR-ibv_import_dm-context-0126", "VR-ibv_unimport_dm-dm-0127"),
		of("CF-dm-0011", "freed through an import", "ibv_import_dm", dmFreedElsewhere, suite.DM, suite.Import, suite.ImportDM).Ruled(
			"VR-ibv_free_dm-dm-0129"),
	}
	for _, b := range dmBreaches() {
		list = append(list, of(id("dm", b.n), "refused: "+b.rule[len("VR-"):], "ibv_alloc_dm", func(t *suite.T) { dmRefused(t, b) }, suite.DM).
			Ruled(b.rule))
	}
	return list
}

// newDM allocates device memory and frees it at the end, when the case has not.
func newDM(t *suite.T, length uint64) *verbs.DM {
	dm := must(t.Device().AllocDM(verbs.NewAllocDMAttr(length)))(t)
	if n, known := dm.Length(); n < length || !known || dm.Mode() == devmem.Refused {
		t.Fatalf("length %d, %t; mode %v", n, known, dm.Mode())
	}
	return dm
}

func dmCopies(t *suite.T) {
	dm := newDM(t, page)
	out := fill(make([]byte, page), 0)
	dmPut(t, dm, 0, out)
	dmPut(t, dm, 1024, []byte("at 1024."))
	copy(out[1024:], "at 1024.")
	holds(t, "read", dmGet(t, dm, 0, page), out)
	t.OK("PutUint32", dm.PutUint32(page-4, 0xdeadbeef))
	is(t, "GetUint32", must(dm.GetUint32(page-4))(t), 0xdeadbeef)
	t.OK("Close", dm.Close())
	fails(t, "ReadAt after Close", errorOf(dm.ReadAt(out, 0)), os.ErrClosed)
	fails(t, "second Close", dm.Close(), os.ErrClosed)
}

func dmBadCopies(t *suite.T) {
	dm := newDM(t, page)
	length, _ := dm.Length()
	end := int64(length)
	for _, c := range []struct {
		off  int64
		n    int
		want []syscall.Errno // a set: devices whose copies need no alignment allow the last three
	}{
		{end, 4, []syscall.Errno{syscall.EFAULT}}, {end - 4, 8, []syscall.Errno{syscall.EFAULT}},
		{math.MaxInt64 &^ 3, 8, []syscall.Errno{syscall.EFAULT}},
		{-4, 4, []syscall.Errno{syscall.EFAULT, syscall.EINVAL}},
		{2, 4, []syscall.Errno{syscall.EINVAL, 0}}, {0, 3, []syscall.Errno{syscall.EINVAL, 0}}, {1, 1, []syscall.Errno{syscall.EINVAL, 0}},
	} {
		for i, call := range []func([]byte, int64) (int, error){dm.WriteAt, dm.ReadAt} {
			name := [...]string{"WriteAt", "ReadAt"}[i]
			n, err := call(make([]byte, c.n), c.off)
			t.Saw(name, err)
			var e syscall.Errno
			if err != nil && !errors.As(err, &e) || !slices.Contains(c.want, e) || err != nil && n != 0 {
				t.Errorf("%s of %d at %d = %d, %v; want %v", name, c.n, c.off, n, err, c.want)
			}
		}
	}
	t.OK("a copy in range after that", dm.PutUint32(0, 1))
}

func dmAlignment(t *suite.T) {
	for log := range uint32(13) {
		dm, err := t.Device().AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(log))
		if err != nil {
			t.Errorf("log_align_req %d: %v", log, err)
			continue
		}
		t.OK("a copy", dm.PutUint32(60, log))
		t.OK("Close", dm.Close())
	}
	const rule = "VR-ibv_alloc_dm-log_align_req-0100"
	refusedBy(t, rule, errorOf(t.Device().AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(64))))
	refusesToo(t, rule, without(t).DM(64, 64, 0, 0, 0))
}

// peerOn has the peer write to and read from a region over device memory that starts at off.
func peerOn(t *suite.T, dm *verbs.DM, mr *verbs.MR, off int64) {
	p := t.PeerOf(mr.PD())
	if p == nil {
		return
	}
	p.Write("write", mr.RKey(), 64, []byte("from a peer."))
	is(t, "device memory", string(dmGet(t, dm, off+64, 12)), "from a peer.")
	dmPut(t, dm, off, []byte("for a peer.."))
	got := make([]byte, 12)
	p.Read("read", mr.RKey(), 0, got)
	is(t, "what the peer reads", string(got), "for a peer..")
	p.Read("read past the end", mr.RKey(), mr.Length()-4, got, verbs.WCStatusRemAccessErr)
}

func dmRegion(t *suite.T) {
	dm, pd := newDM(t, page), newPD(t)
	mr := must(pd.RegDMMR(dm, 0, page, dmAll))(t)
	is(t, "the length of the region", mr.Length(), page)
	is(t, "the address of the region", mr.Addr(), 0)
	belongs(t, "the region", mr, pd)
	peerOn(t, dm, mr, 0)
	t.OK("Close of the region", mr.Close())
	t.OK("Close", dm.Close())
}

func dmPart(t *suite.T) {
	dm, pd := newDM(t, 3*page), newPD(t)
	mr := must(pd.RegDMMR(dm, page, page, dmAll))(t)
	is(t, "the length of the region", mr.Length(), page)
	peerOn(t, dm, mr, page)
	t.OK("Close of the region", mr.Close())
}

func dmFreeEarly(t *suite.T) {
	dm, pd := newDM(t, page), newPD(t)
	mr := must(pd.RegDMMR(dm, 0, page, dmAll))(t)
	inUse(t, dm.Close(), "MR")
	peerOn(t, dm, mr, 0)
	t.OK("Close of the region", mr.Close())
	t.OK("Close", dm.Close())
	fails(t, "RegDMMR after Close", errorOf(pd.RegDMMR(dm, 0, 64, dmAll)), os.ErrClosed)
}

func dmTooMuch(t *suite.T) {
	attr := must(t.Open().QueryDeviceEx())(t) // another context: the rule asks the device under test by itself
	refusedBy(t, "VR-ibv_alloc_dm-length-0097", errorOf(t.Device().AllocDM(verbs.NewAllocDMAttr(attr.MaxDMSize+1))))
	if attr.MaxDMSize > 64<<20 {
		return
	}
	var held []*verbs.DM
	for range 64 {
		dm, err := t.Device().AllocDM(verbs.NewAllocDMAttr(attr.MaxDMSize))
		if err != nil {
			t.Errno("device memory when there is none left", err, syscall.ENOMEM, syscall.ENOSPC)
			break
		}
		held = append(held, dm)
	}
	if len(held) == 0 {
		t.Errorf("not even one of max_dm_size")
	}
	for _, dm := range held {
		t.OK("Close", dm.Close())
	}
}

func dmAtomics(t *suite.T) {
	dm, pd := newDM(t, page), newPD(t)
	p := t.PeerOf(pd)
	mr := must(pd.RegDMMR(dm, 0, page, dmAll|verbs.DMAccessRemoteAtomic))(t)
	t.OK("PutUint32", dm.PutUint32(8, 40))
	t.OK("PutUint32", dm.PutUint32(12, 0))
	old := p.FetchAdd("fetch and add", mr.RKey(), 8, 2)
	swapped(t, "fetch and add", old, uint64(must(dm.GetUint32(8))(t)), 40, 42)
	old = p.CompareSwap("compare and swap", mr.RKey(), 8, 42, 7)
	swapped(t, "compare and swap", old, uint64(must(dm.GetUint32(8))(t)), 42, 7)
	t.OK("Close", mr.Close())
}

func dmNone(t *suite.T) {
	dev := t.Device()
	if t.Has(suite.DM) {
		if t.Soft() == nil {
			t.Lack(suite.Inject, errors.New("the device has device memory"))
		}
		dev = withoutDM(t)
	}
	must(dev.QueryDeviceEx())(t)
	err := errorOf(dev.AllocDM(verbs.NewAllocDMAttr(page)))
	if t.Saw("allocating", err); suite.Refused(err) == nil {
		fails(t, "allocating", err, errors.ErrUnsupported, syscall.EINVAL)
	}
}

// withoutDM opens a software device that has no device memory.
func withoutDM(t *suite.T) *verbs.Device {
	dev, _ := patterned(t, softverbs.MaxDMSize(0))
	return dev
}

func dmImport(t *suite.T) {
	dm := newDM(t, 256)
	text := []byte("shared memory...")
	dmPut(t, dm, 0, text)
	other := importer(t)
	first := must(other.ImportDM(dm.Handle(), 256))(t)
	holds(t, "through the import", dmGet(t, first, 0, len(text)), text)
	t.OK("Close of the import", first.Close())
	holds(t, "the original after that", dmGet(t, dm, 0, len(text)), text)
	second := must(other.ImportDM(dm.Handle(), 0))(t)
	// No verb returns the length; on mlx5 the mapping's attributes have it.
	if n, known := second.Length(); known && (n != 256 || second.Mode() != devmem.Direct4) {
		t.Errorf("length known as %d in mode %v, but nobody told it", n, second.Mode())
	}
	t.OK("Unimport", second.Unimport())
	fails(t, "second Unimport", second.Unimport(), os.ErrClosed)
	t.OK("Close", dm.Close())
	failsAs(t, "a handle that is none", errorOf(other.ImportDM(math.MaxUint32, 256)), syscall.ENOENT, syscall.EINVAL)
}

func dmFreedElsewhere(t *suite.T) {
	dm := newDM(t, 256)
	imported := must(importer(t).ImportDM(dm.Handle(), 256))(t)
	t.OK("Destroy of the import", imported.Destroy())
	fails(t, "Close of the import after that", imported.Close(), os.ErrClosed)
	failsNaming(t, "Close of the original", dm.Close(), "Unimport", syscall.ENOENT)
	t.OK("Unimport of the original", dm.Unimport())
}

// dmBreach is a region over device memory that a rule refuses.
type dmBreach struct {
	n              int
	rule           string
	offset, length uint64
	access         verbs.DMAccess
}

func dmBreaches() []dmBreach {
	const z = verbs.DMAccessZeroBased
	return []dmBreach{
		{40, "VR-ibv_reg_dm_mr-access-0002", 0, page, verbs.DMAccessLocalWrite},
		{41, "VR-ibv_reg_dm_mr-access-0116", 0, page, z | verbs.DMAccessRemoteWrite},
		{42, "VR-ibv_reg_dm_mr-access-0117", 0, page, z | verbs.DMAccessRemoteAtomic},
		{43, "VR-ibv_reg_dm_mr-access-0118", 0, page, z | 1<<10},
		{44, "VR-ibv_reg_dm_mr-dm_offset-0123", 4, page, z},
		{45, "VR-ibv_reg_dm_mr-dm_offset-0123", math.MaxUint64 - 3, 8, z},
	}
}

func dmRefused(t *suite.T, b dmBreach) {
	dm, pd := newDM(t, page), newPD(t)
	length, _ := dm.Length()
	if b.offset == 4 {
		b.length = length // so that it is beyond the end of what the device gave
	}
	refusedBy(t, b.rule, errorOf(pd.RegDMMR(dm, b.offset, b.length, b.access)))
	refusesToo(t, b.rule, without(t).DM(page, 0, b.offset, b.length, uint32(b.access)))
}
