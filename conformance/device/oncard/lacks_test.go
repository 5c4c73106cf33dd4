//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// lackingCalls use what an object does not have, by the name of the child that makes the call: the provider does not look, and the process
// would end. Each returns an error that has the words.
var lackingCalls = map[string]struct {
	says string
	call func(t *testing.T, name string) error
}{
	"XRC_RECV, send":    {"[VR-ibv_post_send-send_cq-4150]", func(t *testing.T, _ string) error { return sendOn(t, xrcRecv) }},
	"XRC_RECV, receive": {"has no receive queue; post to its", func(t *testing.T, _ string) error { return receiveOn(t, xrcRecv) }},
	"XRC_RECV, bind": {"and this queue pair has none", func(t *testing.T, _ string) error {
		pd, qp := xrcRecv(t)
		mw := must(pd.AllocMW(verbs.MWType1))(t)
		mr := must(pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessMWBind))(t)
		return qp.BindMW(mw, verbs.MWBindAttr{MR: mr, Length: 8})
	}},
	"RSS, send":    {"has no queues of its own", func(t *testing.T, _ string) error { return sendOn(t, rss) }},
	"RSS, receive": {"has no queues of its own", func(t *testing.T, _ string) error { return receiveOn(t, rss) }},
	"RSS, init":    {"obj.qp.in: this QP has no queues of its own", func(t *testing.T, _ string) error { return initOf(t, rss) }},
	"DCT, send":    {"has no queues of its own", func(t *testing.T, _ string) error { return sendOn(t, dct) }},
	"DCT, receive": {"has no queues of its own", func(t *testing.T, _ string) error { return receiveOn(t, dct) }},
	"DCT, init":    {"obj.qp.in: this QP has no queues of its own", func(t *testing.T, _ string) error { return initOf(t, dct) }},
	"SRQ, receive": {"post by SRQ.PostRecv [VR-ibv_post_recv-srq-0363]", func(t *testing.T, _ string) error {
		return receiveOn(t, func(t *testing.T) (*verbs.PD, *verbs.QP) {
			dev := open(t, card.Devices[0])
			pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
			srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
			return pd, must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq, MaxSendWR: 1}))(t)
		})
	}},
	"inline, post":   {"inline data is to be read at", func(t *testing.T, name string) error { return inlineGone(t, name) }},
	"inline, stream": {"inline data is to be read at", func(t *testing.T, name string) error { return inlineGone(t, name) }},
	"thread domain":  {"another goroutine uses a queue of the same thread domain", func(t *testing.T, _ string) error { return together(t) }},
	"events": {"VR-ibv_req_notify_cq-channel-0295", func(t *testing.T, _ string) error {
		return must(open(t, "efa_0").CreateCQ(16, nil, 0))(t).ReqNotify(false)
	}},
	"work queue": {"wq_init_attr.pd NULL", func(t *testing.T, _ string) error {
		lib, dev := dvOf(t)
		return errorOf(lib.CreateWQ(dev, verbs.NewWQInitAttr(nil, nil).MaxWR(4).MaxSGE(1), nil))
	}},
}

func xrcRecv(t *testing.T) (*verbs.PD, *verbs.QP) {
	dev := open(t, card.Devices[0])
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(must(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, 0x40)))(t))
	return must(dev.AllocPD())(t), must(dev.CreateQPEx(attr))(t)
}

// rss makes a queue pair with a table of work queues, which has a completion queue for sends all the same.
func rss(t *testing.T) (*verbs.PD, *verbs.QP) {
	dev := open(t, card.Devices[0])
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	wq := must(dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(4).MaxSGE(1)))(t)
	table := must(dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq})))(t)
	return pd, must(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRawPacket, cq, nil, pd).RWQIndTbl(table).RXHashConf(verbs.RXHashConf{
		Function: verbs.RXHashFuncToeplitz, Key: make([]byte, 40), Fields: verbs.RXHashFieldSrcIPv4 | verbs.RXHashFieldDstIPv4})))(t)
}

func dct(t *testing.T) (*verbs.PD, *verbs.QP) {
	lib, dev := dvOf(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	return pd, must(lib.CreateQP(dev, verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd).SRQ(srq),
		mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCT).DCTAccessKey(1)))(t)
}

func sendOn(t *testing.T, make func(*testing.T) (*verbs.PD, *verbs.QP)) error {
	_, qp := make(t)
	b := must(verbs.NewSendBatch(2, 1))(t)
	b.WR(0).Write(1, 0, 0)
	b.WR(1).Write(2, 0, 0)
	if _, err := qp.PostSend(b, 2); err == nil {
		return nil
	}
	return errorOf(qp.PostSend(b, 1))
}

func receiveOn(t *testing.T, make func(*testing.T) (*verbs.PD, *verbs.QP)) error {
	_, qp := make(t)
	b := must(verbs.NewRecvBatch(1, 1))(t)
	b.WR(0).Recv(1)
	return errorOf(qp.PostRecv(b, 1))
}

func initOf(t *testing.T, make func(*testing.T) (*verbs.PD, *verbs.QP)) error {
	_, qp := make(t)
	return errorOf(must(mlx5dv.Load(qp.Device().Lib()))(t).InitQP(qp))
}

// inlineGone posts inline data from a buffer that was closed.
func inlineGone(t *testing.T, name string) error {
	at := must(link.First(open(t, card.Devices[0])))(t)
	c := link.Default()
	c.Inline, c.Ops = 64, verbs.QPOpSend
	a, _, err := c.Pair(at, at)
	if err != nil {
		return err
	}
	buf := must(mem.New(4096))(t)
	b := must(verbs.NewSendBatch(2, 1))(t)
	b.WR(0).Send(1).SGE(uint64(buf.Addr()), 8, 0).Flags(verbs.SendInline)
	b.WR(1).Send(2).SGE(uint64(buf.Addr()), 8, 0).Flags(verbs.SendInline)
	if n, err := a.QP.PostSend(b, 1); n != 1 || err != nil {
		t.Errorf("with memory: %d, %v", n, err)
	}
	if err := buf.Close(); err != nil {
		return err
	}
	if name == "inline, stream" {
		_, err = must(a.QP.Stream())(t).Post(b, 2)
	} else {
		_, err = a.QP.PostSend(b, 2)
	}
	if !errors.Is(err, syscall.EFAULT) {
		t.Errorf("%v is not EFAULT", err)
	}
	return err
}

// together posts to one queue pair of a thread domain from two goroutines, until one of them is refused.
func together(t *testing.T) error {
	dev := open(t, card.Devices[0])
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	td := must(dev.AllocTD())(t)
	domain := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td)))(t)
	qp := must(domain.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxSendSGE: 1}))(t)
	refused := make(chan error, 2)
	var stop atomic.Bool
	for range 2 {
		go func() {
			var err error
			b := must(verbs.NewSendBatch(1, 1))(t)
			for !stop.Load() && !errors.Is(err, syscall.EBUSY) {
				b.WR(0).Write(1, 0, 0).SGE(0, 8, 0)
				_, err = qp.PostSend(b, 1) // in state RESET, so the provider refuses it too
			}
			stop.Store(true)
			refused <- err
		}()
	}
	return errors.Join(<-refused, <-refused)
}

// useWhatLacks is a child of TestLacking.
func useWhatLacks(t *testing.T, name string) {
	fmt.Printf("\x01%s\n", strings.ReplaceAll(fmt.Sprint(lackingCalls[name].call(t, name)), "\n", " "))
}

// TestLacking uses queues that a queue pair does not have, and others of the kind, on the real libmlx5 and libefa: each is refused.
func TestLacking(t *testing.T) {
	devices := onEFA(t, "mlx5", "mlx5")
	for name, want := range lackingCalls {
		t.Run(name, func(t *testing.T) {
			cmd, _, out := child(t, "lacks "+name, devices...)
			if said := line(t, out); !strings.Contains(said, want.says) {
				t.Errorf("%s; want %q", said, want.says)
			}
			ends(t, cmd, out) // it closes what it made
		})
	}
}

// TestLent makes queue pairs by mlx5dv_create_qp without what ibv_create_qp_ex wants: it is refused by the same rules.
func TestLent(t *testing.T) {
	lib, dev := dvOf(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD, verbs.QPTypeRawPacket, verbs.QPTypeXRCSend,
		verbs.QPTypeDriver} {
		for _, attr := range []*mlx5dv.QPInitAttr{nil, mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCT),
			mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCI)} {
			_, err := lib.CreateQP(dev, verbs.NewQPInitAttrEx(typ, nil, cq, pd).MaxSendWR(1).MaxRecvWR(1), attr)
			if !errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), "mlx5dv_create_qp: qp_init_attr_ex.send_cq NULL: ") {
				t.Errorf("%v: %v", typ, err)
			}
		}
	}
}
