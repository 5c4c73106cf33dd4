//go:build linux && cgo

package conn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// makeQP makes a queue pair with a domain and a queue of its own, which the connection closes.
func makeQP(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
	dev, err := c.ID.Device()
	if err != nil {
		return nil, err
	}
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	c.Own(pd)
	cq, err := dev.CreateCQ(16, nil, 0)
	if err != nil {
		return nil, err
	}
	c.Own(cq)
	return c.ID.CreateQP(pd, verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1,
	})
}

// A client connects to a server, and then to a port where nobody listens. A program calls verbs.Load and rdmacm.Load in place of what is
// made of software here, and has the address of a card in place of 10.0.0.1.
func Example() {
	soft := softverbs.New()
	cm := softcm.New(soft)
	v, err := verbs.LoadFrom(soft)
	check(err)
	lib, err := rdmacm.LoadFrom(v, cm)
	check(err)

	ctx := context.Background()
	n, err := conn.New(lib)
	check(err)
	o := conn.Options{QP: makeQP, Attr: rdmacm.ConnAttr{PrivateData: []byte("hello"), RetryCount: 7, RNRRetryCount: 7}}
	l, err := n.Listen(netip.MustParseAddrPort("10.0.0.1:7471"), conn.ListenOptions{})
	check(err)
	served := make(chan bool)
	go func() {
		defer close(served)
		c, err := l.Accept(ctx, o)
		check(err)
		<-c.Done() // the client has ended the connection
		check(c.Close())
	}()

	c, err := n.Dial(ctx, l.Addr(), o)
	check(err)
	fmt.Printf("the server says %s\n", bytes.TrimRight(c.Peer.PrivateData, "\x00"))
	dev, err := c.ID.Device()
	check(err)
	check(c.Close())
	<-served

	_, err = n.Dial(ctx, netip.MustParseAddrPort("10.0.0.1:4"), o)
	fmt.Println(err)
	check(errors.Join(n.Close(), dev.Close(), cm.Close(), soft.Close()))
	// Output:
	// the server says hello
	// conn: connect to 10.0.0.1:4: REJECTED: invalid service ID: nobody listens at the port (8)
}
