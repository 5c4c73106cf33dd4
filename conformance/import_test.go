//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestImportPD uses a protection domain in two contexts. Close of the imported handle leaves it in the kernel, Destroy destroys it for
// all, and then the original can only be given up.
func TestImportPD(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	other := importer(t, b)
	first := must(other.ImportPD(pd.Handle()))(t)
	if first.Handle() != pd.Handle() || first.Device() != other {
		t.Errorf("imported: handle %d of %p, want %d of %p", first.Handle(), first.Device(), pd.Handle(), other)
	}
	buf := must(mem.New(4096))(t)
	mr := must(first.RegMRFrom(buf, verbs.MRAccessLocalWrite))(t)
	if err := first.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close with a region open: %v", err)
	}
	if err := first.Unimport(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Unimport with a region open: %v", err)
	}
	for _, err := range []error{mr.Close(), buf.Close(), first.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := first.Unimport(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Unimport after Close: %v", err)
	}
	second := must(other.ImportPD(pd.Handle()))(t) // the kernel has it still
	if err := second.Destroy(); err != nil {
		t.Errorf("Destroy of the import: %v", err)
	}
	if err := pd.Close(); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("Close of what another context destroyed: %v", err)
	}
	if err := pd.Unimport(); err != nil {
		t.Errorf("Unimport of it: %v", err)
	}
	if _, err := other.ImportPD(4711); !errors.Is(err, syscall.ENOENT) ||
		!strings.Contains(err.Error(), "the handle must be that of a protection domain") {
		t.Errorf("import of a handle that is not there: %v", err)
	}
}

// TestImportMR uses a region of another context, whose end is like that of a protection domain. The memory of a region that was given
// up where it was registered is never given back.
func TestImportMR(t *testing.T) {
	b := open(t)
	buf := must(mem.New(4096))(t)
	original := must(b.dev.AllocPD())(t)
	mr := must(original.RegMRFrom(buf, verbs.MRAccessLocalWrite))(t)
	other := importer(t, b)
	pd := must(other.ImportPD(original.Handle()))(t)
	first := must(pd.ImportMR(mr.Handle()))(t)
	if first.LKey() != mr.LKey() || first.RKey() != mr.RKey() || first.Length() != mr.Length() || first.Addr() != 0 || first.PD() != pd {
		t.Errorf("imported: keys %#x %#x, length %d at %#x", first.LKey(), first.RKey(), first.Length(), first.Addr())
	}
	if err := first.Close(); err != nil {
		t.Errorf("Close of the import: %v", err)
	}
	second := must(pd.ImportMR(mr.Handle()))(t) // the kernel has it still
	if err := second.Destroy(); err != nil {
		t.Errorf("Destroy of the import: %v", err)
	}
	if err := mr.Close(); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("Close of what another context destroyed: %v", err)
	}
	if err := mr.Unimport(); err != nil {
		t.Errorf("Unimport of it: %v", err)
	}
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("the buffer of a region that was given up: %v", err)
	}
	if _, err := pd.ImportMR(4711); !errors.Is(err, syscall.ENOENT) ||
		!strings.Contains(err.Error(), "the handle must be that of a memory region") {
		t.Errorf("import of a handle that is not there: %v", err)
	}
}
