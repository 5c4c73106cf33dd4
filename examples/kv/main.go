// Command kv is a store of keys and values whose server does nothing for a get: clients READ the entries of its table. To put, a client
// WRITEs an entry into a ring of its own on the server, which drains the ring into the table. All ends are on one device here.
//
//	kv                  on a device made of software
//	kv -device mlx5_0   on a real one
//
// The table may be read only, and the rings may be written only: they are two regions with two keys. The server may change an entry
// while a client reads it, so entries have a checksum, and a client reads again what does not match it.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
)

const (
	clients = 2
	keys    = 20 // that each client puts
)

func main() { start.Program("kv", share) }

// share has clients put and get at the same time.
func share(ctx context.Context, w io.Writer, dev *verbs.Device) (err error) {
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	ctx, fail := context.WithCancelCause(ctx)
	s, err := newServer(dev, fail)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var all [clients]*client
	for i := range all {
		if all[i], err = join(ctx, s, dev, i); err != nil {
			return err
		}
		defer all[i].Close()
	}
	worked := make(chan error)
	for _, c := range all {
		go func() { worked <- c.work(ctx) }()
	}
	for range all {
		err = errors.Join(err, <-worked)
	}
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	fmt.Fprintf(w, "%d clients put %d keys each and got those of all; the server drained %d puts\n", clients, keys, s.puts)
	return nil
}

// work puts the keys of a client, some of them twice, and gets those of all clients.
func (c *client) work(ctx context.Context) error {
	for round := range 2 {
		for k := range keys {
			if err := c.put(ctx, fmt.Sprintf("key %d of %d", k, c.number), fmt.Sprintf("value %d", k+round)); err != nil {
				return err
			}
		}
	}
	for other := range clients {
		for k := range keys {
			key, want := fmt.Sprintf("key %d of %d", k, other), fmt.Sprintf("value %d", k+1)
			for got := ""; got != want; { // until the server has drained the last put of it
				var err error
				if got, err = c.get(ctx, key); err != nil {
					return err
				}
			}
		}
	}
	if got, err := c.get(ctx, "no such key"); err != nil || got != "" {
		return errors.Join(err, fmt.Errorf("a key that nobody put has the value %q", got))
	}
	return nil
}

// join connects a new client to the server.
func join(ctx context.Context, s *server, dev *verbs.Device, number int) (*client, error) {
	near, far := net.Pipe()
	accepted := make(chan error, 1)
	go func() { accepted <- s.accept(ctx, far, number) }()
	c, err := newClient(ctx, dev, number)
	if err != nil {
		near.Close()
		return nil, errors.Join(err, <-accepted)
	}
	peer, err := c.Connect(ctx, near, connect.Options{})
	if err := errors.Join(err, <-accepted); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if _, err := binary.Decode(peer.Data, binary.BigEndian, &c.places); err != nil {
		return nil, fmt.Errorf("the server sent %d bytes, not the places of its table and of a ring: %w", len(peer.Data), err)
	}
	return c, nil
}
