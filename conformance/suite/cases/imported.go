//go:build linux

package cases

import (
	"math"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func domainImport(t *suite.T) {
	pd, other := newPD(t), importer(t)
	first := must(other.ImportPD(pd.Handle()))(t)
	if first.Handle() != pd.Handle() || first.Device() != other {
		t.Errorf("handle %d through the import, %d here, or another device", first.Handle(), pd.Handle())
	}
	mr := must(first.RegMR(make([]byte, 64), 0))(t)
	fails(t, "Close with a region open", first.Close(), syscall.EBUSY)
	fails(t, "Unimport with a region open", first.Unimport(), syscall.EBUSY)
	ok(t, "Close of the region", mr.Close())
	ok(t, "Close of the import", first.Close())
	second := must(other.ImportPD(pd.Handle()))(t)
	ok(t, "Unimport", second.Unimport())
	fails(t, "second Unimport", second.Unimport(), os.ErrClosed)
	must(pd.RegMR(make([]byte, 64), 0))(t)
	failsAs(t, "a handle that is none", errorOf(other.ImportPD(math.MaxUint32)), syscall.ENOENT, syscall.EINVAL)
}

func domainFreedElsewhere(t *suite.T) {
	pd := newPD(t)
	imported := must(importer(t).ImportPD(pd.Handle()))(t)
	ok(t, "Destroy of the import", imported.Destroy())
	fails(t, "Close of the import after that", imported.Close(), os.ErrClosed)
	giveUp(t, pd)
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
	ok(t, "Close of the import", first.Close())
	second := must(far.ImportMR(mr.Handle()))(t)
	ok(t, "Destroy of the import", second.Destroy())
	giveUp(t, mr)
	fails(t, "Close of the buffer", buf.Close(), syscall.EBUSY) // a device may still use it
}

// giveUp gives an object up whose kernel object was destroyed through an import.
func giveUp(t *suite.T, original interface {
	Close() error
	Unimport() error
}) {
	err := original.Close()
	if t.Saw("Close of the original", err); err == nil {
		t.Errorf("the original is closed, though the kernel has it no more")
	}
	ok(t, "Unimport of the original", original.Unimport())
}
