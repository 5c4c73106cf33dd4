package far

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// grhLength is what stands before the data of a message on UD.
const grhLength = 40

// Do fills in the one request of the end's batch, posts it and waits.
func (e *end) Do(ctx context.Context, op Op) (Result, error) {
	length := max(len(op.Data), op.Length)
	if op.Code == FetchAdd || op.Code == CompareSwap {
		length = 8
	}
	if op.Length < 0 || length > MaxData {
		return Result{}, fmt.Errorf("an operation of %d bytes; an end does %d at most", length, MaxData)
	}
	staging := e.buf.Bytes()[WindowSize : WindowSize+length]
	copy(staging, op.Data)
	w := e.send.WR(0)
	switch {
	case op.Code == Write && op.WithImm:
		w.WriteImm(1, op.Addr, op.RKey, op.Imm)
	case op.Code == Write:
		w.Write(1, op.Addr, op.RKey)
	case op.Code == Read:
		w.Read(1, op.Addr, op.RKey)
	case op.Code == FetchAdd:
		w.FetchAdd(1, op.Addr, op.RKey, op.Value)
	case op.Code == CompareSwap:
		w.CompareSwap(1, op.Addr, op.RKey, op.Compare, op.Value)
	case op.Code == Send && op.WithImm:
		w.SendImm(1, op.Imm)
	case op.Code == Send:
		w.Send(1)
	default:
		return Result{}, fmt.Errorf("no operation %q", op.Code)
	}
	flags := verbs.SendSignaled
	if op.Solicited {
		flags |= verbs.SendSolicited
	}
	if w.Flags(flags); length > 0 {
		w.Add(e.mr.UncheckedSGE(WindowSize, uint32(length)))
	}
	if e.ah != nil {
		if err := e.ah.Address(w, e.to.QPN, e.to.QKey); err != nil {
			return Result{}, err
		}
	}
	if _, err := e.qp.PostSend(e.send, 1); err != nil {
		return Result{}, err
	}
	wc, err := Poll(ctx, e.sendCQ)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", op.Code, err)
	}
	return result(op.Code, wc, staging), nil
}

func result(code Code, wc verbs.WC, staging []byte) Result {
	r := Result{Status: int(wc.Status)}
	if r.Status != 0 {
		return r
	}
	switch code {
	case Read:
		r.Data = append([]byte{}, staging...)
	case FetchAdd, CompareSwap:
		r.Old = binary.NativeEndian.Uint64(staging)
	}
	return r
}

func (e *end) PostRecv(_ context.Context, size int) (err error) {
	if size < 0 || size > MaxData {
		return fmt.Errorf("room for %d bytes; an end takes %d at most", size, MaxData)
	}
	if e.kind == UD {
		size += grhLength
	}
	b, err := verbs.NewRecvBatch(1, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	r := room{data: make([]byte, size)}
	e.posted++
	w := b.WR(0).Recv(e.posted)
	if size > 0 {
		if r.mr, err = e.pd.RegMR(r.data, verbs.MRAccessLocalWrite); err != nil {
			return err
		}
		w.Add(r.mr.UncheckedSGE(0, uint32(size)))
	}
	if _, err = e.qp.PostRecv(b, 1); err != nil {
		return errors.Join(err, r.free())
	}
	e.rooms[e.posted] = r
	return nil
}

func (e *end) WaitRecv(ctx context.Context) (Received, error) {
	wc, err := Poll(ctx, e.recv)
	if err != nil {
		return Received{}, fmt.Errorf("waiting for a message: %w", err)
	}
	r, posted := e.rooms[wc.ID]
	if !posted {
		return Received{}, fmt.Errorf("a completion of receive %d, which was not posted", wc.ID)
	}
	delete(e.rooms, wc.ID)
	got := Received{Status: int(wc.Status)}
	if err := r.free(); err != nil || got.Status != 0 {
		return got, err
	}
	got.Length, got.WithImm = int(wc.ByteLen), wc.Flags&verbs.WCFlagWithImm != 0
	if got.WithImm {
		got.Imm = wc.ImmData
	}
	got.Data = r.data[:min(got.Length, len(r.data))]
	if e.kind == UD {
		got.SrcQP, got.GRH, got.Data = wc.SrcQP, got.Data[:grhLength], got.Data[grhLength:]
	}
	return got, nil
}

func (e *end) window(offset, length int) ([]byte, error) {
	if offset < 0 || length < 0 || offset > WindowSize-length {
		return nil, fmt.Errorf("%d bytes at %d; the window has %d", length, offset, WindowSize)
	}
	return e.buf.Bytes()[offset : offset+length], nil
}

func (e *end) Load(_ context.Context, offset, length int) ([]byte, error) {
	w, err := e.window(offset, length)
	return append([]byte{}, w...), err
}

func (e *end) Store(_ context.Context, offset int, data []byte) error {
	w, err := e.window(offset, len(data))
	copy(w, data)
	return err
}

// NextRound prepares a round of polls, counted from 0, of somebody who waits for one completion, and returns how many polls it is to have.
// If the completion takes long, it sleeps first, which leaves the processor to others.
func NextRound(round int) (polls int) {
	if round <= 10 {
		return 1000
	}
	time.Sleep(100 * time.Microsecond)
	return 1
}

// Poll waits for one completion.
func Poll(ctx context.Context, cq *verbs.CQ) (verbs.WC, error) {
	var wcs [1]verbs.WC
	for round := 0; ; round++ {
		n, err := cq.PollSpin(wcs[:], NextRound(round))
		if n == 1 || err != nil {
			return wcs[0], err
		}
		if err := ctx.Err(); err != nil {
			return wcs[0], fmt.Errorf("no completion: %w", err)
		}
	}
}
