//go:build linux

package conformance

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestPrinted prints handles, alone and by slog, while another goroutine uses and closes one: with the names that errors use.
func TestPrinted(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 8), 0))(t)
	name := fmt.Sprintf("MR (lkey 0x%x)", mr.LKey())
	if err := pd.Close(); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%v does not name %s", err, name)
	}
	var out strings.Builder
	slog.New(slog.NewJSONHandler(&out, nil)).Info("made", "mr", mr, "dev", b.dev, "none", (*verbs.QP)(nil))
	for _, want := range []string{`"mr":"` + name + `"`, `"dev":"Device (soft0)"`, `"none":"nil QP"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log has no %s: %s", want, out.String())
		}
	}
	var closed sync.WaitGroup
	closed.Go(func() {
		for range 100 {
			must(mr.SGE(0, 1))(t)
		}
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	})
	for range 1000 {
		if got := fmt.Sprintf("%v", mr); !strings.HasSuffix(got, name) {
			t.Errorf("printed as %s", got)
		}
	}
	closed.Wait()
	if got := fmt.Sprint(mr); got != "closed "+name {
		t.Errorf("printed as %s", got)
	}
}

// importer opens a second context over the command channel of the first.
func importer(t *testing.T, b *bed) *verbs.Device {
	t.Helper()
	other := must(b.lib.ImportDevice(b.dev.CmdFD()))(t)
	t.Cleanup(func() {
		if err := other.CloseAll(); err != nil {
			t.Errorf("closing the importer: %v", err)
		}
	})
	return other
}
