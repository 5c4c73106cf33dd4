//go:build linux && cgo

package careless

import (
	"context"
	"errors"
	"fmt"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// copied copies a handle by value, as h := *f() does, which vet does not report.
func copied[T any](h *T) *T {
	c := *h
	return &c
}

// copying are programs that copy a handle, close the original, and go on with the copy.
var copying = []struct {
	name string
	over kind
	says string
	use  func(w *world) (func() error, error)
}{
	{"CQ, poll", connection, "CQ", func(w *world) (func() error, error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return nil, err
		}
		c := copied(cq)
		return func() error { return result(c.PollInto(make([]verbs.WC, 4))) }, cq.Close()
	}},
	{"CQ, notify", connection, "CQ", func(w *world) (func() error, error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return nil, err
		}
		c := copied(cq)
		return func() error { return c.ReqNotify(false) }, cq.Close()
	}},
	{"CQ, wait", connection, "CQ", func(w *world) (func() error, error) {
		cq, err := w.dev.CreateCQ(4, w.a.CQ.Channel(), 0)
		if err != nil {
			return nil, err
		}
		c := copied(cq)
		return func() error { return result(c.Wait(context.Background(), make([]verbs.WC, 4))) }, cq.Close()
	}},
	{"CQ, resize", connection, "CQ", func(w *world) (func() error, error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return nil, err
		}
		c := copied(cq)
		return func() error { return c.Resize(8) }, cq.Close()
	}},
	{"QP, post", connection, "QP", func(w *world) (func() error, error) {
		c, b := copied(w.a.QP), w.oneSend()
		return func() error {
			b.WR(0).Send(1)
			return result(c.PostSend(b, 1))
		}, w.a.QP.Close()
	}},
	{"QP, query", connection, "QP", func(w *world) (func() error, error) {
		c := copied(w.a.QP)
		return func() error { _, _, err := c.Query(); return err }, w.a.QP.Close()
	}},
	{"SRQ, post", connection, "SRQ", func(w *world) (func() error, error) {
		c, b := copied(w.srq), w.oneRecv()
		return func() error {
			b.WR(0).Recv(1)
			return result(c.PostRecv(b, 1))
		}, w.srq.Close()
	}},
	{"AH, address", datagram, "AH", func(w *world) (func() error, error) {
		c, b := copied(w.ah), w.oneSend()
		return func() error { return c.Address(b.WR(0).Send(1), 1, 1) }, w.ah.Close()
	}},
	{"MR, elements", connection, "MR", func(w *world) (func() error, error) {
		c := copied(w.a.MR)
		return func() error {
			if s := c.UncheckedSGE(0, 1); s.LKey != 0 {
				return fmt.Errorf("an unchecked element with the key %#x", s.LKey)
			}
			return result(c.SGE(0, 1))
		}, w.a.MR.Close()
	}},
	{"MR, Destroy", connection, "MR", func(w *world) (func() error, error) {
		c := copied(w.a.MR)
		return c.Destroy, w.a.MR.Close()
	}},
	{"PD, region", connection, "PD", func(w *world) (func() error, error) {
		pd, err := w.dev.AllocPD()
		if err != nil {
			return nil, err
		}
		c := copied(pd)
		return func() error { return result(c.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)) }, pd.Close()
	}},
	{"PD, CloseAll", connection, "PD", func(w *world) (func() error, error) {
		c := copied(w.a.PD)
		return func() error {
			err := c.CloseAll()
			if w.a.MR.CPtr() == nil || c.CPtr() != nil {
				return errors.New("the copy has closed what is below the original")
			}
			return err
		}, nil
	}},
	{"PD beside a device", connection, "PD", func(w *world) (func() error, error) {
		pd, err := w.dev.AllocPD()
		if err != nil {
			return nil, err
		}
		c := copied(pd)
		return func() error { return result(w.dev.AllocParentDomain(verbs.NewParentDomainAttr(c))) }, pd.Close()
	}},
	{"device memory, write", direct, "DM", copyDM(func(c *verbs.DM) error { return result(c.WriteAt(make([]byte, 64), 0)) })},
	{"device memory, read", direct, "DM", copyDM(func(c *verbs.DM) error { return result(c.ReadAt(make([]byte, 8192), 0)) })},
	{"device memory, word", direct, "DM", copyDM(func(c *verbs.DM) error { return c.PutUint32(0, 1) })},
	{"device memory by calls, write", shim, "DM", copyDM(func(c *verbs.DM) error { return result(c.WriteAt(make([]byte, 64), 0)) })},
	{"device memory by calls, read", shim, "DM", copyDM(func(c *verbs.DM) error { return result(c.GetUint32(0)) })},
	{"buffer, bytes", connection, "mem.Buffer", func(*world) (func() error, error) {
		b, err := mem.New(4096)
		if err != nil {
			return nil, err
		}
		c := copied(b)
		return func() error {
			s, err := c.Slice(0, 8)
			if err == nil {
				s[0] = 1
			}
			return err
		}, b.Close()
	}},
	{"Device, PD", connection, "Device", func(w *world) (func() error, error) {
		dev, err := openFrom(w.soft, "soft1")
		if err != nil {
			return nil, err
		}
		c := copied(dev)
		return func() error { return result(c.AllocPD()) }, dev.Close()
	}},
}

// oneSend and oneRecv make a batch of one request.
func (w *world) oneSend() *verbs.SendBatch {
	b, _ := verbs.NewSendBatch(1, 1)
	w.batches = append(w.batches, b)
	return b
}

func (w *world) oneRecv() *verbs.RecvBatch {
	b, _ := verbs.NewRecvBatch(1, 1)
	w.batches = append(w.batches, b)
	return b
}

func copyDM(use func(c *verbs.DM) error) func(w *world) (func() error, error) {
	return func(w *world) (func() error, error) {
		c := copied(w.dm)
		return func() error { return use(c) }, w.dm.Close()
	}
}

// copiedMistakes are the copies, each used after its original was closed.
func copiedMistakes() (all []mistake) {
	for _, c := range copying {
		says := []string{c.says + " is a copied handle; use the pointer to the original"}
		all = append(all, mistake{name: c.name, over: c.over, says: says, make: func(w *world) error {
			use, closed := c.use(w)
			if closed != nil {
				return closed
			}
			return use()
		}})
	}
	return all
}
