//go:build linux && cgo

package recording

import (
	"os"
	"testing"
)

// TestImportDevice imports a context: C gets a duplicate of the descriptor, of the same file.
func TestImportDevice(t *testing.T) {
	b := open(t)
	f := must(os.Open(os.DevNull))(t)
	defer f.Close()
	must(b.rec.Calls())(t)
	dev := must(b.lib.ImportDevice(int(f.Fd())))(t)
	defer dev.CloseAll()
	for _, c := range must(b.rec.Calls())(t) {
		if c.Verb != "ibv_import_device" {
			continue
		}
		fd := must(Number(c.In, "cmd_fd"))(t)
		own := os.NewFile(uintptr(fd), "a duplicate") // the recording library closes nothing
		defer own.Close()
		if fd == uint64(f.Fd()) || !os.SameFile(must(own.Stat())(t), must(f.Stat())(t)) {
			t.Errorf("C got descriptor %d for %d", fd, f.Fd())
		}
		return
	}
	t.Error("ibv_import_device was not called")
}
