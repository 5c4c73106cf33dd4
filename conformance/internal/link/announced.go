//go:build linux && cgo

package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// AnnouncedOnce arms a queue again when a completion was announced and not taken. No further event announces that completion: an event is
// for one that is added after the request, and a card keeps what it has announced last (last_notified_index of a queue's context). Whether
// a completion is announced that came while the queue was not armed is left to the device.
func AnnouncedOnce(dev *verbs.Device) error {
	a, b, err := Default().Between(dev, dev)
	if err != nil {
		return err
	}
	recv, err1 := verbs.NewRecvBatch(1, 1)
	send, err2 := verbs.NewSendBatch(1, 1)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(1)
	send.WR(0).Send(2)
	message := func() error {
		_, err1 := b.QP.PostRecv(recv, 1)
		_, err2 := a.QP.PostSend(send, 1)
		return errors.Join(err1, err2)
	}
	event := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ev, err := b.Ch.Next(ctx)
		if err == nil {
			ev.Done()
		}
		return err
	}
	for _, step := range []func() error{
		func() error { return b.CQ.ReqNotify(false) }, message, func() error { return event(10 * time.Second) },
		func() error { return b.CQ.ReqNotify(false) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := event(50 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a completion was announced again, or %v", err)
	}
	return errors.Join(message(), event(10*time.Second))
}
