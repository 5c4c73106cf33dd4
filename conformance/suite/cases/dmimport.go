//go:build linux

package cases

import (
	"math"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

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
	ok(t, "Close of the import", first.Close())
	holds(t, "the original after that", dmGet(t, dm, 0, len(text)), text)
	second := must(other.ImportDM(dm.Handle(), 0))(t)
	// No verb returns the length; on mlx5 the mapping's attributes have it.
	if n, known := second.Length(); known && (n != 256 || second.Mode() != devmem.Direct4) {
		t.Errorf("length known as %d in mode %v, but nobody told it", n, second.Mode())
	}
	ok(t, "Unimport", second.Unimport())
	fails(t, "second Unimport", second.Unimport(), os.ErrClosed)
	ok(t, "Close", dm.Close())
	failsAs(t, "a handle that is none", errorOf(other.ImportDM(math.MaxUint32, 256)), syscall.ENOENT, syscall.EINVAL)
}

func dmFreedElsewhere(t *suite.T) {
	dm := newDM(t, 256)
	imported := must(importer(t).ImportDM(dm.Handle(), 256))(t)
	ok(t, "Destroy of the import", imported.Destroy())
	fails(t, "Close of the import after that", imported.Close(), os.ErrClosed)
	failsNaming(t, "Close of the original", dm.Close(), "Unimport", syscall.ENOENT)
	ok(t, "Unimport of the original", dm.Unimport())
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
