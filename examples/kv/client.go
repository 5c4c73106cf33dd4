package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// client is a connection to the server. It has one request at a time.
type client struct {
	number            int
	cq                *verbs.CQ
	qp                *verbs.QP
	sends             *verbs.SendBatch
	mem               []byte // of one entry
	entry             verbs.SGE
	table, ring       uint64 // addresses on the server
	tableKey, ringKey uint32
	sent, drained     int // puts
}

func newClient(dev *verbs.Device, number int) (*client, error) {
	c := &client{number: number, mem: make([]byte, entrySize)}
	pd, pdErr := dev.AllocPD()
	ch, chErr := dev.CreateCompChannel()
	var cqErr, qpErr, entryErr, err error
	c.cq, cqErr = dev.CreateCQ(1, ch, 0)
	c.qp, qpErr = pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: c.cq, RecvCQ: c.cq, MaxSendWR: 1, MaxSendSGE: 1})
	mr, mrErr := pd.RegMR(c.mem, verbs.MRAccessLocalWrite)
	if mrErr == nil {
		c.entry, entryErr = mr.SGE(0, entrySize)
	}
	c.sends, err = verbs.NewSendBatch(1, 1)
	return c, errors.Join(pdErr, chErr, cqErr, qpErr, mrErr, entryErr, err)
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
	seal(c.mem, key, value)
	to := c.ring + uint64(c.sent%ringSize*entrySize)
	c.sent++
	return c.do(ctx, c.sends.WR(0).WriteImm(0, to, c.ringKey, 0))
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
		if err := c.do(ctx, c.sends.WR(0).Read(0, c.table+uint64(at*entrySize), c.tableKey)); err != nil {
			return "", "", err
		}
		if key, value, ok := parse(c.mem); ok {
			return key, value, nil
		}
	}
}

// do posts a request with the memory of the client, and waits until it has completed.
func (c *client) do(ctx context.Context, wr verbs.SendWR) error {
	wr.Add(c.entry).Flags(verbs.SendSignaled)
	if _, err := c.qp.PostSend(c.sends, 1); err != nil {
		return err
	}
	var wcs [1]verbs.WC
	if _, err := c.cq.Wait(ctx, wcs[:]); err != nil {
		return err
	}
	return wcs[0].Err()
}
