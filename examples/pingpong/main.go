// Command pingpong is a ping-pong over a reliable connection in as few lines as that takes, without a lost error. One side waits at an
// address, and the other goes there:
//
//	pingpong mlx5_0 :7777
//	pingpong mlx5_0 first.example.org:7777 go
//
// With rdma_cm in place of a device, librdmacm connects and chooses the device by the address, which has an IP address and a port:
//
//	pingpong rdma_cm 10.0.0.1:7777
//	pingpong rdma_cm 10.0.0.1:7777 go
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

const size, rounds = 4096, 1000

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: pingpong DEVICE|rdma_cm ADDRESS [go]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], len(os.Args) > 3); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name, address string, first bool) error {
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	if name == "rdma_cm" {
		cm, err := rdmacm.Load(lib)
		if err != nil {
			return err
		}
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return overCM(ctx, cm, at, first)
	}
	var side net.Conn
	if first {
		side, err = net.Dial("tcp", address)
	} else if ln, lerr := net.Listen("tcp", address); lerr == nil {
		side, err = ln.Accept()
	} else {
		err = lerr
	}
	if err != nil {
		return err
	}
	return over(ctx, lib, name, side, first)
}

// overCM connects by librdmacm.
func overCM(ctx context.Context, lib *rdmacm.Lib, at netip.AddrPort, first bool) (err error) {
	n, err := conn.New(lib)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }() // with the connection
	config, came := settings()
	o := conn.Options{Attr: rdmacm.ConnAttr{RetryCount: 7, RNRRetryCount: 7}}
	o.QP = func(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
		e, err := c.NewEndpoint(config)
		if err != nil {
			return nil, err
		}
		return e.QP, nil
	}
	var c *conn.Conn
	if first {
		c, err = n.Dial(ctx, at, o)
	} else if l, lerr := n.Listen(at, conn.ListenOptions{}); lerr == nil {
		c, err = l.Accept(ctx, o)
	} else {
		err = lerr
	}
	if err != nil {
		return err
	}
	return play(ctx, c.Endpoint(), came, first)
}

// over connects over a stream.
func over(ctx context.Context, lib *verbs.Lib, name string, side net.Conn, first bool) (err error) {
	dev, err := lib.OpenDevice(name)
	if err != nil {
		return errors.Join(err, side.Close())
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	config, came := settings()
	e, err := endpoint.New(dev, config)
	if err != nil {
		return errors.Join(err, side.Close())
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if _, err := e.Connect(ctx, side, connect.Options{}); err != nil {
		return err
	}
	return play(ctx, e, came, first)
}

// settings are those of both sides: a message to send and one to receive at a time. What comes is handed to the channel.
func settings() (endpoint.Config, chan verbs.WC) {
	came := make(chan verbs.WC, 2) // and the end of the receive that is posted last
	return endpoint.Config{Sends: 1, SendSize: size, Recvs: 1, RecvSize: size,
		Handle: func(_ *endpoint.Endpoint, wc verbs.WC) { came <- wc }}, came
}

// play sends a message if it is first, and then one for each that comes.
func play(ctx context.Context, e *endpoint.Endpoint, came chan verbs.WC, first bool) error {
	s, err := e.Slot(ctx)
	if err != nil {
		return err
	}
	defer s.Free()
	s.Send(size) // the same each time
	began := time.Now()
	for round := range 2 * rounds {
		if (round%2 == 0) == first {
			_, err = s.Do(ctx)
		} else if err = receive(ctx, came); err == nil && round < 2*rounds-2 {
			err = e.Repost(0)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", round, err)
		}
	}
	fmt.Printf("%.2f us a round\n", time.Since(began).Seconds()*1e6/rounds)
	return nil
}

// receive waits for a message.
func receive(ctx context.Context, came chan verbs.WC) error {
	select {
	case wc := <-came:
		return wc.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
