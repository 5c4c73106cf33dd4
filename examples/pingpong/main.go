// Command pingpong is a ping-pong over a reliable connection in as few lines as that takes, without a lost error. One side waits at an
// address, and the other goes there:
//
//	pingpong mlx5_0 :7777
//	pingpong mlx5_0 first.example.org:7777 go
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
)

const size, rounds = 4096, 1000

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: pingpong DEVICE ADDRESS [go]")
	}
	lib, err := verbs.Load()
	if err != nil {
		log.Fatal(err)
	}
	var conn net.Conn
	if len(os.Args) > 3 {
		conn, err = net.Dial("tcp", os.Args[2])
	} else if ln, lerr := net.Listen("tcp", os.Args[2]); lerr == nil {
		conn, err = ln.Accept()
	} else {
		err = lerr
	}
	if err == nil {
		err = play(lib, os.Args[1], conn, len(os.Args) > 3)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// play sends a message if it is first, and then one for each that comes.
func play(lib *verbs.Lib, name string, conn net.Conn, first bool) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dev, err := lib.OpenDevice(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	pd, pdErr := dev.AllocPD()
	ch, chErr := dev.CreateCompChannel()
	cq, cqErr := dev.CreateCQ(4, ch, 0)
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 2, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	qp, qpErr := pd.CreateQP(attr)
	mr, mrErr := pd.RegMR(make([]byte, size), verbs.MRAccessLocalWrite)
	part, partErr := mr.SGE(0, size)
	sends, sendsErr := verbs.NewSendBatch(1, 1)
	recvs, recvsErr := verbs.NewRecvBatch(1, 1)
	initErr := qp.Modify(connect.DefaultSetup().Init())
	if err := errors.Join(pdErr, chErr, cqErr, qpErr, mrErr, partErr, sendsErr, recvsErr, initErr); err != nil {
		return err
	}
	sends.WR(0).Send(0).Add(part).Flags(verbs.SendSignaled)
	recvs.WR(0).Recv(1).Add(part)
	send := func() error { _, err := qp.PostSend(sends, 1); return err }
	receive := func() error { _, err := qp.PostRecv(recvs, 1); return err }
	if err := receive(); err != nil { // before the peer can send
		return err
	}
	if _, err = connect.RC(ctx, conn, qp, connect.Options{}); err == nil && first {
		err = send()
	}
	began, wcs, sent, came, n := time.Now(), make([]verbs.WC, 4), 0, 0, 0
	for err == nil && (sent < rounds || came < rounds) {
		if n, err = cq.Wait(ctx, wcs); err != nil {
			return fmt.Errorf("after %d sent and %d received: %w", sent, came, err)
		}
		for _, wc := range wcs[:n] {
			if wc.Err() != nil {
				return wc.Err()
			}
			if wc.ID == 0 {
				sent++
				continue
			}
			if came++; came < rounds {
				err = receive()
			}
			if err == nil && (!first || came < rounds) {
				err = send()
			}
			if err != nil {
				return err
			}
		}
	}
	fmt.Printf("%.2f us a round\n", time.Since(began).Seconds()*1e6/rounds)
	return err
}
