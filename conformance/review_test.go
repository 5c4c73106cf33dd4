//go:build linux

package conformance

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestReregTogether changes one region from several goroutines while others read its keys: whatever it covers at the
// end is held, and nothing else.
func TestReregTogether(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	bufs := []*mem.Buffer{must(mem.New(4096))(t), must(mem.New(4096))(t)}
	mr := must(pd.RegMRFrom(bufs[0], rw))(t)
	for range 50 {
		var wait sync.WaitGroup
		for _, buf := range bufs {
			wait.Go(func() {
				if err := mr.Rereg(new(verbs.MRChange).Memory(buf)); err != nil {
					t.Error(err)
				}
			})
			wait.Go(func() { _, _, _ = mr.LKey(), mr.RKey(), mr.PD() })
		}
		wait.Wait()
		for i, buf := range bufs {
			held := mr.Addr() == buf.Addr()
			err := buf.Close()
			if held != errors.Is(err, syscall.EBUSY) {
				t.Fatalf("buffer %d: covered %t, Close: %v", i, held, err)
			}
			if err == nil {
				bufs[i] = must(mem.New(4096))(t)
			}
		}
	}
}

// TestIntRange passes numbers that a C int cannot hold: refused before the call, never cut short.
func TestIntRange(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	big := int(1) << 32
	for name, err := range map[string]error{
		"RegDMABufMR":  func() error { _, err := pd.RegDMABufMR(mem.DMABuf{FD: big, Length: 4096}, 0, 0); return err }(),
		"ImportDevice": func() error { _, err := b.lib.ImportDevice(big); return err }(),
		"MRInitAttr": func() error {
			return errorOf(pd.RegMREx(verbs.NewMRInitAttr(4096, 0).FD(big).FDOffset(0).IOVA(0)))
		}(),
	} {
		if err == nil || !isRefusal(err) || !strings.Contains(err.Error(), "4294967296") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
