//go:build linux

package conformance

import (
	"strings"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestOnLint shows that the lints of a call that the device accepts are reported, with the line of the program, once for each line, or
// with OnEveryLint for each call; that those of a call that it refuses are only in its error; that a whole connection as it should be
// breaks none; and that nothing is reported after OnLint(nil).
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
	register := func() error {
		mr, err := end.PD.RegMR(end.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased)
		if err != nil {
			return err
		}
		return mr.Close()
	}
	accepted := register() == nil
	for _, every := range []bool{false, true} {
		if every {
			lib.OnEveryLint(collect)
		}
		for range 3 {
			if err := register(); err != nil && !strings.Contains(err.Error(), "[VR-ibv_reg_mr-access-0005]") {
				t.Errorf("the error has no lint: %v", err)
			}
		}
		list := reported()
		want := 0
		if accepted {
			want = map[bool]int{false: 1, true: 3}[every]
		}
		if len(list) != want {
			t.Fatalf("ZERO_BASED, every %t: %q", every, list)
		}
		for _, l := range list {
			if !strings.HasPrefix(l, "lint_test.go:") || !strings.Contains(l, ": ibv_reg_mr: access LOCAL_WRITE|ZERO_BASED (0x21): ") ||
				!strings.HasSuffix(l, "[VR-ibv_reg_mr-access-0005]") {
				t.Errorf("ZERO_BASED: %q", l)
			}
		}
	}
	err = peer.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTR))
	if list := reported(); err == nil || len(list) > 0 || !strings.Contains(err.Error(), "[VR-ibv_modify_qp-attr_mask-0220]") {
		t.Errorf("RTS to RTR: %v, reported %q", err, list)
	}
	lib.OnLint(nil)
	if mr, err := end.PD.RegMR(end.Buf, verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased); err == nil {
		defer mr.Close()
	}
	if list := reported(); len(list) > 0 {
		t.Errorf("after OnLint(nil): %q", list)
	}
}
