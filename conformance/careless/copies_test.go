//go:build linux && cgo

package careless

import (
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
	use  func(w *world) (closed error, use func() error)
}{
	{"CQ, poll", connection, "CQ", func(w *world) (error, func() error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return err, nil
		}
		c := copied(cq)
		return cq.Close(), func() error { return result(c.PollInto(make([]verbs.WC, 4))) }
	}},
	{"CQ, notify", connection, "CQ", func(w *world) (error, func() error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return err, nil
		}
		c := copied(cq)
		return cq.Close(), func() error { return c.ReqNotify(false) }
	}},
	{"CQ, resize", connection, "CQ", func(w *world) (error, func() error) {
		cq, err := w.dev.CreateCQ(4, nil, 0)
		if err != nil {
			return err, nil
		}
		c := copied(cq)
		return cq.Close(), func() error { return c.Resize(8) }
	}},
	{"QP, post", connection, "QP", func(w *world) (error, func() error) {
		c, b := copied(w.a.QP), w.oneSend()
		return w.a.QP.Close(), func() error {
			b.WR(0).Send(1)
			return result(c.PostSend(b, 1))
		}
	}},
	{"QP, query", connection, "QP", func(w *world) (error, func() error) {
		c := copied(w.a.QP)
		return w.a.QP.Close(), func() error { _, _, err := c.Query(); return err }
	}},
	{"SRQ, post", connection, "SRQ", func(w *world) (error, func() error) {
		c, b := copied(w.srq), w.oneRecv()
		return w.srq.Close(), func() error {
			b.WR(0).Recv(1)
			return result(c.PostRecv(b, 1))
		}
	}},
	{"AH, address", datagram, "AH", func(w *world) (error, func() error) {
		c, b := copied(w.ah), w.oneSend()
		return w.ah.Close(), func() error { return c.Address(b.WR(0).Send(1), 1, 1) }
	}},
	{"MR, elements", connection, "MR", func(w *world) (error, func() error) {
		c := copied(w.a.MR)
		return w.a.MR.Close(), func() error {
			if s := c.UncheckedSGE(0, 1); s.LKey != 0 {
				return fmt.Errorf("an unchecked element with the key %#x", s.LKey)
			}
			return result(c.SGE(0, 1))
		}
	}},
	{"MR, Dereg", connection, "MR", func(w *world) (error, func() error) {
		c := copied(w.a.MR)
		return w.a.MR.Close(), c.Dereg
	}},
	{"PD, region", connection, "PD", func(w *world) (error, func() error) {
		pd, err := w.dev.AllocPD()
		if err != nil {
			return err, nil
		}
		c := copied(pd)
		return pd.Close(), func() error { return result(c.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite)) }
	}},
	{"PD, CloseAll", connection, "PD", func(w *world) (error, func() error) {
		c := copied(w.a.PD)
		return nil, func() error {
			err := c.CloseAll()
			if w.a.MR.CPtr() == nil || c.CPtr() != nil {
				return errors.New("the copy has closed what is below the original")
			}
			return err
		}
	}},
	{"PD beside a device", connection, "PD", func(w *world) (error, func() error) {
		pd, err := w.dev.AllocPD()
		if err != nil {
			return err, nil
		}
		c := copied(pd)
		return pd.Close(), func() error { return result(w.dev.AllocParentDomain(verbs.NewParentDomainAttr(c))) }
	}},
	{"device memory, write", direct, "DM", copyDM(func(c *verbs.DM) error { return result(c.WriteAt(make([]byte, 64), 0)) })},
	{"device memory, read", direct, "DM", copyDM(func(c *verbs.DM) error { return result(c.ReadAt(make([]byte, 8192), 0)) })},
	{"device memory, word", direct, "DM", copyDM(func(c *verbs.DM) error { return c.PutUint32(0, 1) })},
	{"device memory by calls, write", shim, "DM", copyDM(func(c *verbs.DM) error { return result(c.WriteAt(make([]byte, 64), 0)) })},
	{"device memory by calls, read", shim, "DM", copyDM(func(c *verbs.DM) error { return result(c.GetUint32(0)) })},
	{"buffer, bytes", connection, "mem.Buffer", func(*world) (error, func() error) {
		b, err := mem.New(4096)
		if err != nil {
			return err, nil
		}
		c := copied(b)
		return b.Close(), func() error {
			s, err := c.Slice(0, 8)
			if err == nil {
				s[0] = 1
			}
			return err
		}
	}},
	{"Device, PD", connection, "Device", func(w *world) (error, func() error) {
		dev, err := openFrom(w.soft, "soft1")
		if err != nil {
			return err, nil
		}
		c := copied(dev)
		return dev.Close(), func() error { return result(c.AllocPD()) }
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

func copyDM(use func(c *verbs.DM) error) func(w *world) (error, func() error) {
	return func(w *world) (error, func() error) {
		c := copied(w.dm)
		return w.dm.Close(), func() error { return use(c) }
	}
}

// copiedMistakes are the copies, each used after its original was closed.
func copiedMistakes() (all []mistake) {
	for _, c := range copying {
		says := []string{c.says + " is a copied handle; use the pointer to the original"}
		all = append(all, mistake{name: c.name, over: c.over, says: says, make: func(w *world) error {
			closed, use := c.use(w)
			if closed != nil {
				return closed
			}
			return use()
		}})
	}
	return all
}
