//go:build linux

package cases

import (
	"errors"
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
	if err := first.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with a region open: %v", err)
	}
	if err := first.Unimport(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Unimport with a region open: %v", err)
	}
	ok(t, "Close of the region", mr.Close())
	ok(t, "Close of the import", first.Close())
	second := must(other.ImportPD(pd.Handle()))(t)
	ok(t, "Unimport", second.Unimport())
	if err := second.Unimport(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Unimport: %v", err)
	}
	must(pd.RegMR(make([]byte, 64), 0))(t)
	_, err := other.ImportPD(math.MaxUint32)
	t.Saw("a handle that is none", err)
	if !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a handle that is none: %v", err)
	}
}

func domainFreedElsewhere(t *suite.T) {
	pd := newPD(t)
	imported := must(importer(t).ImportPD(pd.Handle()))(t)
	ok(t, "Destroy of the import", imported.Destroy())
	if err := imported.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close of the import after that: %v", err)
	}
	err := pd.Close()
	t.Saw("Close of the original", err)
	if err == nil {
		t.Errorf("the original is closed, though the kernel has it no more")
	}
	ok(t, "Unimport of the original", pd.Unimport())
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
	err := mr.Close()
	t.Saw("Close of the original", err)
	if err == nil {
		t.Errorf("the original is closed, though the kernel has it no more")
	}
	ok(t, "Unimport of the original", mr.Unimport())
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) { // a device may still use it
		t.Errorf("Close of the buffer: %v", err)
	}
}
