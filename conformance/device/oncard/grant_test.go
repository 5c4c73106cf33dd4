//go:build linux && cgo

package oncard

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestGrantBelow asks for more inline data than an int of C holds: the real libmlx5 grants 60 bytes. The program is told so by a hint
// before the call, by Query, and by the post that needs more.
func TestGrantBelow(t *testing.T) {
	lib := must(verbs.Load())(t)
	dev := must(lib.OpenDevice(card.Devices[0]))(t)
	defer dev.CloseAll()
	var hints []string
	lib.OnLint(func(l *verr.Lint) { hints = append(hints, l.String()) })
	defer lib.OnLint(nil)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1,
		MaxInlineData: 1 << 31}))(t)
	if all := strings.Join(hints, "\n"); !strings.Contains(all, "VR-ibv_create_qp-max_inline_data-3902") {
		t.Errorf("hints %q", all)
	}
	if _, init, err := qp.Query(); err != nil || init.Cap.MaxInlineData != 60 {
		t.Errorf("granted %+v, %v", init, err)
	}
	batch := must(verbs.NewSendBatch(1, 1, verbs.InlineRoom(64)))(t)
	defer batch.Close()
	batch.WR(0).Send(1).InlineData(make([]byte, 61))
	if _, err := qp.PostSend(batch, 1); err == nil || !strings.Contains(err.Error(), "60") {
		t.Errorf("a post of 61 bytes: %v", err)
	}
}

// TestFatalRulesAreNotBroken asks that no test on hardware makes the copies that mlx5 would make outside of its memory.
func TestFatalRulesAreNotBroken(t *testing.T) {
	for _, id := range []string{"VR-ibv_memcpy_to_dm-dm_offset-0107", "VR-ibv_memcpy_from_dm-dm_offset-0113"} {
		if rulecall.Fatal[id] == "" {
			t.Errorf("%s is broken on devices", id)
		}
	}
	dm := must(open(t, card.Devices[0]).AllocDM(verbs.NewAllocDMAttr(64)))(t)
	if _, err := dm.WriteAt(make([]byte, 8), -8); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EFAULT) {
		t.Errorf("a copy whose end overflows: %v", err)
	}
}
