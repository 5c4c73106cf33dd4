// Package misuse does what no rule of a page is about.
package misuse

import (
	"context"

	"unsafe"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func elements(pd *v.PD, mr *v.MR, given []byte) []v.SGE {
	buf := make([]byte, 64)
	known := make([]byte, 64)
	_, _ = pd.RegMR(known, 0)
	return []v.SGE{
		{Addr: uint64(uintptr(unsafe.Pointer(&buf[0]))), Length: 64, LKey: mr.LKey()}, // want memory
		{Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(buf)))), Length: 64},    // want memory
		{Addr: uint64(uintptr(unsafe.Pointer(&known[0]))), Length: 64, LKey: mr.LKey()},
		{Addr: uint64(uintptr(unsafe.Pointer(&given[0]))), Length: 64, LKey: mr.LKey()},
	}
}

func results(pd *v.PD, qp *v.QP, attr *v.QPAttr) {
	qp.Modify(attr) // want result
	_ = qp.Modify(attr)
	defer qp.Close()
}

// bind binds a window of type 2, which is a request and not a call of ibv_bind_mw.
func bind(pd *v.PD, wr v.SendWR, mr *v.MR) error {
	mw, err := pd.AllocMW(v.MWType2)
	if err != nil {
		return err
	}
	return mw.Bind(wr, 1, v.MWBindAttr{MR: mr, Length: 64})
}

func event(ctx context.Context, ch *v.CompChannel, keep func(*v.CQEvent)) error {
	ev, err := ch.Next(ctx) // want event
	if err != nil {
		return err
	}
	_ = ev.CQ
	done, err := ch.Next(ctx)
	if err != nil {
		return err
	}
	defer done.Done()
	kept, err := ch.Next(ctx)
	keep(kept)
	return err
}

func open(lib *v.Lib) error {
	dev, err := lib.OpenDevice("x")
	if err != nil {
		return err
	}
	defer dev.Close()
	pd, err := dev.AllocPD() // want handle
	if err != nil {
		return err
	}
	cq, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		return err
	}
	defer cq.Close()
	_, err = pd.CreateQP(v.QPInitAttr{Type: v.QPTypeRC, SendCQ: cq, RecvCQ: cq})
	return err
}

func all(lib *v.Lib) error {
	dev, err := lib.OpenDevice("x")
	if err != nil {
		return err
	}
	defer dev.CloseAll()
	_, err = dev.AllocPD()
	pd, err := dev.AllocPD()
	_ = pd.Handle()
	return err
}

func shared(n int) {
	b, _ := v.NewSendBatch(1, 1)
	for range n {
		go func() { _ = b.Len() }() // want batch
	}
	for range n {
		own, _ := v.NewSendBatch(1, 1)
		go func() { _ = own.Len() }()
	}
}
