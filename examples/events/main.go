// Command events waits without polling: for completions, by a completion channel, and for the asynchronous events of the
// device. A goroutine that waits holds no thread, and a context ends its wait. A queue pair sends to itself here.
//
//	events                            on a device made of software, whose cable is pulled and put back
//	events -device mlx5_0 -watch 1m   on a real one: pull its cable and put it back to see events
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const (
	port     = 1  // port of the device
	messages = 3  // that are sent
	room     = 32 // bytes for each of them
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	watch := flag.Duration("watch", 10*time.Second, "how long to wait for events of the port")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *device, *watch)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "events:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(ctx context.Context, w io.Writer, device string, watchFor time.Duration) (err error) {
	var (
		lib  *verbs.Lib
		soft *softverbs.Device
	)
	if device == "" {
		device = "soft0"
		soft = softverbs.New(softverbs.Name(device))
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	if err := completions(ctx, w, dev); err != nil {
		return err
	}
	if soft != nil { // pull the cable, and put it back
		if err := errors.Join(soft.SetPort(device, port, false), soft.SetPort(device, port, true)); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "waiting at most %v until the port is up again\n", watchFor)
	ctx, cancel := context.WithTimeout(ctx, watchFor)
	defer cancel()
	if err := watch(ctx, w, dev); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fmt.Fprintln(w, "no more events came")
	return nil
}

// completions receives what another goroutine sends, and then waits for a message that nobody sends.
func completions(ctx context.Context, w io.Writer, dev *verbs.Device) error {
	l, err := newLoop(dev)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := l.qp.PostSend(l.sends, messages)
		sent <- err
	}()
	for range messages {
		text, err := l.receive(ctx)
		if err != nil {
			return errors.Join(err, <-sent)
		}
		fmt.Fprintf(w, "received %q\n", text)
	}
	if err := <-sent; err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = l.receive(short)
	if err == nil {
		return errors.New("a message came that nobody sent")
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fmt.Fprintln(w, "waiting for one more:", err)
	return nil
}

// loop is a queue pair that is connected to itself.
type loop struct {
	cq    *verbs.CQ // of receives; the sends have completions only if they fail
	qp    *verbs.QP
	mem   []byte // receive i has the ID i and writes to the i-th part
	sends *verbs.SendBatch
}

func newLoop(dev *verbs.Device) (*loop, error) {
	l := &loop{mem: make([]byte, messages*room)}
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	channel, err := dev.CreateCompChannel() // wakes who waits for the queue
	if err != nil {
		return nil, err
	}
	if l.cq, err = dev.CreateCQ(2*messages, channel, 0); err != nil {
		return nil, err
	}
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: l.cq, RecvCQ: l.cq, MaxInlineData: room, MaxSendWR: messages,
		MaxSendSGE: 1, MaxRecvWR: messages, MaxRecvSGE: 1,
	}
	if l.qp, err = pd.CreateQP(attr); err != nil {
		return nil, err
	}
	if err := connectToSelf(l.qp); err != nil {
		return nil, err
	}
	mr, err := pd.RegMR(l.mem, verbs.MRAccessLocalWrite)
	if err != nil {
		return nil, err
	}
	recvs, err := verbs.NewRecvBatch(messages, 1)
	if err != nil {
		return nil, err
	}
	if l.sends, err = verbs.NewSendBatch(messages, 1, verbs.InlineRoom(room)); err != nil {
		return nil, err
	}
	for i := range messages {
		part, err := mr.SGE(uint64(i*room), room)
		if err != nil {
			return nil, err
		}
		recvs.WR(i).Recv(uint64(i)).Add(part)
		l.sends.WR(i).Send(uint64(i)).InlineData(fmt.Appendf(nil, "message %d", i))
	}
	_, err = l.qp.PostRecv(recvs, messages)
	return l, err
}

// connectToSelf makes a queue pair ready to send, with itself as its peer.
func connectToSelf(qp *verbs.QP) error {
	attr, err := qp.Device().QueryPort(port)
	if err != nil {
		return err
	}
	gid, err := qp.Device().QueryGID(port, 0)
	if err != nil {
		return err
	}
	path := verbs.AHAttr{PortNum: port, DLID: attr.LID, IsGlobal: true, DGID: gid, HopLimit: 64}
	return verbs.RCSetup{
		PortNum: port, AV: path, PathMTU: verbs.MTU1024, DestQPNum: qp.Num(),
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 6, RNRRetry: 6,
	}.ToRTS(qp)
}

// receive returns the next message. It sleeps while the queue is empty.
func (l *loop) receive(ctx context.Context) (string, error) {
	var wcs [1]verbs.WC
	if _, err := l.cq.Wait(ctx, wcs[:]); err != nil {
		return "", err
	}
	return string(l.mem[wcs[0].ID*room:][:wcs[0].ByteLen]), wcs[0].Err()
}

// watch prints the events of the device until the port is active again or ctx ends. Events of queues and queue pairs also
// name them (event.CQ, event.QP).
func watch(ctx context.Context, w io.Writer, dev *verbs.Device) error {
	for {
		event, err := dev.NextEvent(ctx)
		if err != nil {
			return err
		}
		kind := event.Type
		fmt.Fprintf(w, "event of the device: %v, port %d\n", kind, event.Port)
		event.Done()
		if kind == verbs.EventTypePortActive {
			return nil
		}
	}
}
