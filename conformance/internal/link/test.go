//go:build linux

package link

import "github.com/verbsgen/verbsgen/gen/verbs"

// T is the part of testing.TB that these functions use. They end the test when something fails.
type T interface {
	Helper()
	Fatal(args ...any)
}

func must[V any](v V, err error) func(t T) V {
	return func(t T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Connected returns two connected sides on the first ports of devices, which may be one.
func (c Config) Connected(t T, first, second *verbs.Device) (a, b *End) {
	t.Helper()
	a, b, err := c.Between(first, second)
	must(0, err)(t)
	return a, b
}

// Bare makes a side without a queue pair. Its completion queue has no channel.
func Bare(t T, dev *verbs.Device, access verbs.MRAccess) *End {
	t.Helper()
	e := &End{Buf: make([]byte, Size), cfg: Default()}
	e.PD, e.CQ = must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	e.MR = must(e.PD.RegMR(e.Buf, access))(t)
	return e
}

// Recv posts a receive of n bytes of the memory.
func (e *End) Recv(t T, id, offset uint64, n uint32) {
	t.Helper()
	b := must(verbs.NewRecvBatch(1, 1))(t)
	b.WR(0).Recv(id).Add(e.MR.UncheckedSGE(offset, n))
	must(e.QP.PostRecv(b, 1))(t)
	must(0, b.Close())(t)
}

// Post posts one signaled request, which fill describes.
func (e *End) Post(t T, fill func(w verbs.SendWR)) {
	t.Helper()
	b := must(verbs.NewSendBatch(1, 1))(t)
	w := b.WR(0)
	fill(w)
	w.Flags(verbs.SendSignaled)
	must(e.QP.PostSend(b, 1))(t)
	must(0, b.Close())(t)
}

// Do posts a request as Post does, waits for its completion, and returns it.
func (e *End) Do(t T, fill func(w verbs.SendWR)) verbs.WC {
	t.Helper()
	e.Post(t, fill)
	return must(e.Wait())(t)
}
