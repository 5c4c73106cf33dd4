//go:build linux

package conformance

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestOnLint shows that lints are reported before the call, for a call that the device accepts and for one that it refuses;
// that a whole connection as it should be breaks none; and that nothing is reported after OnLint(nil).
func TestOnLint(t *testing.T) {
	b := open(t)
	lib, dev := b.lib, b.dev
	var mu sync.Mutex
	var got []string
	collect := func(l *verr.Lint) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, l.String())
	}
	reported := func() []string {
		mu.Lock()
		defer mu.Unlock()
		list := got
		got = nil
		return list
	}
	lib.OnLint(collect)
	end, peer, err := link.Pair(dev, dev)
	if err != nil {
		t.Fatal(err)
	}
	if list := reported(); len(list) > 0 {
		t.Errorf("a connection as it should be: %q", list)
	}
	mr, err := end.PD.RegMR(end.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased)
	if err == nil {
		defer mr.Close()
	}
	list := reported()
	if len(list) != 1 || !strings.HasPrefix(list[0], "ibv_reg_mr: access LOCAL_WRITE|ZERO_BASED (0x21): ") ||
		!strings.HasSuffix(list[0],
			"[VR-ibv_reg_mr-access-0005]; accepted by rxe with linux 6.1 (the flag is ignored); refused by rxe with linux 6.12..7.2") {
		t.Errorf("ZERO_BASED: %q", list)
	}
	if err := peer.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTR)); err == nil {
		t.Error("RTS to RTR is accepted")
	}
	if list := reported(); !slices.ContainsFunc(list,
		func(s string) bool { return strings.Contains(s, "[VR-ibv_modify_qp-attr_mask-0220]") }) {
		t.Errorf("RTS to RTR: %q", list)
	}
	lib.OnLint(nil)
	if mr, err := end.PD.RegMR(end.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased); err == nil {
		defer mr.Close()
	}
	if list := reported(); len(list) > 0 {
		t.Errorf("after OnLint(nil): %q", list)
	}
}
