package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// client is a connection to the server. It has one request at a time.
type client struct {
	*endpoint.Endpoint
	number int
	slot   endpoint.Slot // its memory is one entry
	places
	sent, drained int // puts
}

// places are the addresses and keys of the table and of the client's ring, as the server sends them.
type places struct {
	Table, Ring       uint64
	TableKey, RingKey uint32
}

func newClient(ctx context.Context, dev *verbs.Device, number int) (*client, error) {
	e, err := endpoint.New(dev, endpoint.Config{Sends: 1, SendSize: entrySize})
	if err != nil {
		return nil, err
	}
	c := &client{Endpoint: e, number: number}
	c.slot, err = e.Slot(ctx)
	return c, err
}

// put writes an entry into the ring. When the ring is full, it waits until the server has drained a part of it.
func (c *client) put(ctx context.Context, key, value string) error {
	if key == "" || len(key) > keySize || len(value) > valueSize {
		return fmt.Errorf("a key has 1 to %d bytes and a value at most %d: %q, %q", keySize, valueSize, key, value)
	}
	for c.sent-c.drained == ringSize {
		_, text, err := c.read(ctx, slots+c.number)
		if err != nil {
			return err
		}
		c.drained, _ = strconv.Atoi(text) // no text: none yet
	}
	seal(c.slot.Bytes(), key, value)
	c.slot.WriteImm(entrySize, c.Ring+uint64(c.sent%ringSize*entrySize), c.RingKey, 0)
	c.sent++
	_, err := c.slot.Do(ctx)
	return err
}

// get returns the value of a key, or nothing if it has none. It may be older than a put that has just returned.
func (c *client) get(ctx context.Context, key string) (string, error) {
	for i := range slots {
		found, value, err := c.read(ctx, (slot(key)+i)%slots)
		if err != nil || found == "" || found == key {
			return value, err
		}
	}
	return "", nil
}

// read reads an entry of the table, again if the server was just changing it.
func (c *client) read(ctx context.Context, at int) (key, value string, err error) {
	for {
		c.slot.Read(entrySize, c.Table+uint64(at*entrySize), c.TableKey)
		if _, err := c.slot.Do(ctx); err != nil {
			return "", "", err
		}
		if key, value, ok := parse(c.slot.Bytes()); ok {
			return key, value, nil
		}
	}
}
