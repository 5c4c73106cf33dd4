//go:build linux && cgo

package device

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// TestUnsupported calls what soft-RoCE does not have. Each is an error that is ErrUnsupported, and leaves nothing behind.
func TestUnsupported(t *testing.T) {
	b := open(t)
	if !strings.HasPrefix(b.name, "rxe") {
		t.Skipf("the answers are those of rxe; this is %s", b.name)
	}
	pd := must(b.dev.AllocPD())(t)
	fd := must(unix.MemfdCreate("memory", unix.MFD_CLOEXEC))(t)
	defer unix.Close(fd)
	for name, call := range map[string]func() error{
		"AllocTD":           func() error { _, err := b.dev.AllocTD(); return err },
		"AllocParentDomain": func() error { _, err := b.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd)); return err },
		"AllocDM":           func() error { _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(4096)); return err },
		"AllocNullMR":       func() error { _, err := pd.AllocNullMR(); return err },
		"RegDMABufMR": func() error {
			_, err := pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: 4096}, 0, verbs.DMABufAccessLocalWrite)
			return err
		},
		"ImportDM": func() error { _, err := b.dev.ImportDM(1, 64); return err },
		"ImportDevice": func() error {
			_, err := b.lib.ImportDevice(b.dev.CmdFD())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := call()
			if !errors.Is(err, errors.ErrUnsupported) || refusal(err) != nil {
				t.Errorf("%v", err)
			}
			t.Log(err)
		})
	}
}
