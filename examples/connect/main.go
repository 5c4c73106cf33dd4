// Command connect connects two reliable queue pairs by package gen/verbs/connect. One side writes into the memory
// of the other, whose address and key came with the connection, and reads it back.
//
//	connect                               both sides, on a device made of software
//	connect -device mlx5_0                both sides, on a real one
//	connect -device mlx5_0 -listen :7777  one side, and the other on another machine:
//	connect -device mlx5_0 first:7777
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const (
	text = "written by the client"
	room = 64 // bytes of memory on each side
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	listen := flag.String("listen", "", "wait for the other side at this TCP address")
	flag.Parse()
	if err := run(os.Stdout, *device, *listen, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "connect:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(w io.Writer, device, listen, peer string) (err error) {
	var lib *verbs.Lib
	if device == "" {
		device = "soft0"
		soft := softverbs.New(softverbs.Name(device))
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
	switch {
	case listen != "":
		ln, err := net.Listen("tcp", listen)
		if err != nil {
			return err
		}
		defer ln.Close()
		fmt.Fprintln(w, "waiting on", ln.Addr())
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		return serve(w, dev, conn)
	case peer != "":
		conn, err := net.Dial("tcp", peer)
		if err != nil {
			return err
		}
		return write(w, dev, conn)
	}
	near, far := net.Pipe()
	served := make(chan error)
	go func() { served <- serve(w, dev, far) }()
	return errors.Join(write(w, dev, near), <-served)
}

// side is a queue pair with memory.
type side struct {
	cq  *verbs.CQ
	qp  *verbs.QP
	mem []byte
	mr  *verbs.MR
}

func newSide(dev *verbs.Device) (*side, error) {
	s := &side{mem: make([]byte, room)}
	pd, err := dev.AllocPD()
	if err != nil {
		return nil, err
	}
	if s.cq, err = dev.CreateCQ(1, nil, 0); err != nil {
		return nil, err
	}
	if s.qp, err = pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 1, MaxSendSGE: 1}); err != nil {
		return nil, err
	}
	s.mr, err = pd.RegMR(s.mem, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite|verbs.MRAccessRemoteRead)
	return s, err
}

// connect connects the queue pair. Each side gets the address and the key of the other's memory.
func (s *side) connect(conn net.Conn) (peer *connect.Peer, addr uint64, rkey uint32, err error) {
	setup := connect.Usual()
	setup.AccessFlags = verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	peer, err = connect.RC(ctx, conn, s.qp, connect.Options{
		Setup: &setup, Data: binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, s.mr.IOVA()), s.mr.RKey()),
	})
	if err != nil {
		return nil, 0, 0, err
	}
	if len(peer.Data) != 12 {
		return nil, 0, 0, fmt.Errorf("the peer sent %d bytes, not the address and the key of its memory", len(peer.Data))
	}
	return peer, binary.BigEndian.Uint64(peer.Data), binary.BigEndian.Uint32(peer.Data[8:]), nil
}

// serve lends its memory until the peer closes conn. Nothing else runs here.
func serve(w io.Writer, dev *verbs.Device, conn net.Conn) error {
	defer conn.Close()
	s, err := newSide(dev)
	if err != nil {
		return err
	}
	if _, _, _, err = s.connect(conn); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		return err
	}
	fmt.Fprintf(w, "server: the memory has %q\n", bytes.TrimRight(s.mem, "\x00"))
	return nil
}

// write writes to the peer's memory and reads it back.
func write(w io.Writer, dev *verbs.Device, conn net.Conn) error {
	defer conn.Close()
	s, err := newSide(dev)
	if err != nil {
		return err
	}
	peer, addr, rkey, err := s.connect(conn)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "client: connected, packets have up to %v bytes\n", peer.MTU)
	batch, err := verbs.NewSendBatch(2, 1)
	if err != nil {
		return err
	}
	defer batch.Close()
	part, err := s.mr.SGE(0, uint64(copy(s.mem, text)))
	if err != nil {
		return err
	}
	batch.WR(0).Write(0, addr, rkey).Add(part).Flags(verbs.SendSignaled)
	batch.WR(1).Read(1, addr, rkey).Add(part).Flags(verbs.SendSignaled)
	for i := range 2 {
		if i == 1 {
			clear(s.mem)
		}
		if _, err := s.qp.PostSendRange(batch.From(i, 1)); err != nil {
			return err
		}
		if err := wait(s.cq); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "client: read back %q\n", bytes.TrimRight(s.mem, "\x00"))
	return nil
}

// wait polls until a request completes.
func wait(cq *verbs.CQ) error {
	var wcs [1]verbs.WC
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late); {
		n, err := cq.PollSpin(wcs[:], 100)
		if err != nil {
			return err
		}
		if n > 0 {
			return wcs[0].Err()
		}
	}
	return errors.New("nothing completed in ten seconds")
}
