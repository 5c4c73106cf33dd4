//go:build linux && cgo

package device

import (
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/device/internal/raw"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Bits of enum ibv_srq_attr_mask.
const (
	srqMaxWR = 0x1
	srqLimit = 0x2
)

// TestSRQAnswers makes and changes shared receive queues as the bindings would not, and compares what soft-RoCE answers with what
// the rules say of it. A size that the queue cannot shrink to is not tried: soft-RoCE loses the queue then.
func TestSRQAnswers(t *testing.T) {
	b := open(t)
	if !strings.HasPrefix(b.name, "rxe") {
		t.Skipf("the answers are those of rxe; this is %s", b.name)
	}
	noLeak(t)
	attr := must(b.dev.QueryDevice())(t)
	t.Logf("max_srq %#x, max_srq_wr %#x, max_srq_sge %d, resize %v", attr.MaxSRQ, attr.MaxSRQWR, attr.MaxSRQSGE,
		attr.DeviceCapFlags&verbs.DeviceCapSRQResize != 0)
	c := openRaw(t)
	large, wide := uint32(attr.MaxSRQWR)+1, uint32(attr.MaxSRQSGE)+1
	for _, s := range []struct {
		rule string
		ask  raw.SRQAttr
		want syscall.Errno
		is   raw.SRQAttr
	}{
		{"", raw.SRQAttr{MaxWR: 10, MaxSGE: 3}, 0, raw.SRQAttr{MaxWR: 15, MaxSGE: 3}},
		{"", raw.SRQAttr{MaxWR: 1}, 0, raw.SRQAttr{MaxWR: 1, MaxSGE: 1}},
		{"VR-ibv_create_srq-max_wr-0603", raw.SRQAttr{MaxSGE: 1}, syscall.EINVAL, raw.SRQAttr{}},
		{"VR-ibv_create_srq-max_wr-0604", raw.SRQAttr{MaxWR: large, MaxSGE: 1}, syscall.EINVAL, raw.SRQAttr{}},
		{"VR-ibv_create_srq-max_sge-0605", raw.SRQAttr{MaxWR: 1, MaxSGE: wide}, syscall.EINVAL, raw.SRQAttr{}},
		{"VR-ibv_create_srq-srq_limit-0606", raw.SRQAttr{MaxWR: 7, MaxSGE: 1, Limit: 4}, 0, raw.SRQAttr{MaxWR: 7, MaxSGE: 1, Limit: 4}},
	} {
		srq, _, e := c.SRQ(s.ask)
		if e != s.want {
			t.Errorf("%s: create %+v: %s, want %s", s.rule, s.ask, errnoName(e), errnoName(s.want))
		}
		if e == 0 {
			asSRQ(t, c, srq, s.rule, s.is)
			destroyed(t, srq)
		}
	}
	changes(t, c, large)
}

// asSRQ compares what a queue answers.
func asSRQ(t *testing.T, c *raw.Context, srq *raw.Object, what string, want raw.SRQAttr) {
	t.Helper()
	if is, e := c.QuerySRQ(srq); e != 0 || is != want {
		t.Errorf("%s: %+v, %s; want %+v", what, is, errnoName(e), want)
	}
}

func destroyed(t *testing.T, o *raw.Object) {
	t.Helper()
	if e := o.Destroy(); e != 0 {
		t.Errorf("destroy: %s", errnoName(e))
	}
}

func changes(t *testing.T, c *raw.Context, large uint32) {
	srq, _, e := c.SRQ(raw.SRQAttr{MaxWR: 10, MaxSGE: 1})
	if e != 0 {
		t.Fatal(errnoName(e))
	}
	for _, s := range []struct {
		rule string
		ask  raw.SRQAttr
		mask int
		want syscall.Errno
		is   raw.SRQAttr
	}{
		{"", raw.SRQAttr{MaxWR: 99, Limit: 99}, 0, 0, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-srq_attr_mask-0613", raw.SRQAttr{MaxWR: 99, Limit: 99}, 4, 0, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-max_wr-0614", raw.SRQAttr{}, srqMaxWR, syscall.EINVAL, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-max_wr-0615", raw.SRQAttr{MaxWR: large}, srqMaxWR, syscall.EINVAL, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-srq_limit-0617", raw.SRQAttr{Limit: large}, srqLimit, syscall.EINVAL, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-srq_limit-0619", raw.SRQAttr{Limit: 16}, srqLimit, syscall.EINVAL, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"", raw.SRQAttr{Limit: 15}, srqLimit, 0, raw.SRQAttr{MaxWR: 15, MaxSGE: 1, Limit: 15}},
		{"a size below the limit", raw.SRQAttr{MaxWR: 14}, srqMaxWR, syscall.EINVAL, raw.SRQAttr{MaxWR: 15, MaxSGE: 1, Limit: 15}},
		{"", raw.SRQAttr{}, srqLimit, 0, raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"a limit above the size before", raw.SRQAttr{MaxWR: 20, Limit: 16}, srqMaxWR | srqLimit, syscall.EINVAL,
			raw.SRQAttr{MaxWR: 15, MaxSGE: 1}},
		{"VR-ibv_modify_srq-srq_limit-0618", raw.SRQAttr{MaxWR: 7, Limit: 8}, srqMaxWR | srqLimit, 0, raw.SRQAttr{MaxWR: 7, MaxSGE: 1, Limit: 8}},
		{"", raw.SRQAttr{MaxWR: 40}, srqMaxWR, 0, raw.SRQAttr{MaxWR: 63, MaxSGE: 1, Limit: 8}},
	} {
		if e := c.ModifySRQ(srq, s.ask, s.mask); e != s.want {
			t.Errorf("%s: modify %+v with mask %d: %s, want %s", s.rule, s.ask, s.mask, errnoName(e), errnoName(s.want))
		}
		asSRQ(t, c, srq, s.rule, s.is)
	}
	destroyed(t, srq)
}

// TestSRQTypes makes queue pairs of each type on a shared receive queue. The page wants RC or UD; soft-RoCE takes UC too.
func TestSRQTypes(t *testing.T) {
	b := open(t)
	noLeak(t)
	c := openRaw(t)
	channel := must(c.Channel())(t)
	cq := must(c.CQ(channel))(t)
	srq, _, e := c.SRQ(raw.SRQAttr{MaxWR: 4, MaxSGE: 1})
	if e != 0 {
		t.Fatal(errnoName(e))
	}
	for _, kind := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUD, verbs.QPTypeUC} {
		qp, err := c.QPOn(cq, srq, int(kind))
		if err != nil {
			if kind != verbs.QPTypeUC || strings.HasPrefix(b.name, "rxe") {
				t.Errorf("%v: %v", kind, err)
			}
			continue
		}
		if e := srq.Destroy(); e != syscall.EBUSY {
			t.Errorf("destroy with a queue pair of type %v: %s, want EBUSY", kind, errnoName(e))
		}
		destroyed(t, qp)
	}
	if e := c.Domain().Destroy(); e != syscall.EBUSY {
		t.Errorf("the domain with the queue: %s, want EBUSY", errnoName(e))
	}
	for _, o := range []*raw.Object{srq, cq, channel} {
		destroyed(t, o)
	}
}
