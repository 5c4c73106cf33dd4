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
	if err := run(context.Background(), os.Args[1], os.Args[2], len(os.Args) > 3); err != nil {
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
	return overTCP(ctx, lib, name, address, first)
}

// overTCP connects over TCP. The minute begins when both sides are there.
func overTCP(ctx context.Context, lib *verbs.Lib, name, address string, first bool) (err error) {
	dev, err := lib.OpenDevice(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	side, err := meet(address, first)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return over(ctx, dev, side, first)
}

// meet goes to the address, or waits there for the other side.
func meet(address string, first bool) (net.Conn, error) {
	if first {
		return net.Dial("tcp", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	fmt.Println("waiting at", l.Addr())
	return l.Accept()
}

// overCM connects by librdmacm.
func overCM(ctx context.Context, lib *rdmacm.Lib, at netip.AddrPort, first bool) (err error) {
	n, err := conn.New(lib)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }() // with the connection
	config, came := settings()
	o := conn.Options{Attr: rdmacm.ConnAttr{RetryCount: 6, RNRRetryCount: 7}}
	o.QP = func(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
		e, err := c.NewEndpoint(config)
		if err != nil {
			return nil, err
		}
		return e.QP, nil
	}
	c, err := meetCM(ctx, n, at, o, first)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return play(ctx, c.Endpoint(), came, first)
}

// meetCM goes to the address, or waits there for the other side.
func meetCM(ctx context.Context, n *conn.Network, at netip.AddrPort, o conn.Options, first bool) (*conn.Conn, error) {
	if first {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return n.Dial(ctx, at, o)
	}
	l, err := n.Listen(at, conn.ListenOptions{})
	if err != nil {
		return nil, err
	}
	fmt.Println("waiting at", l.Addr())
	return l.Accept(ctx, o)
}

// over connects over a stream.
func over(ctx context.Context, dev *verbs.Device, side net.Conn, first bool) (err error) {
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
