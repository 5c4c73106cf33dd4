// Command ud sends unreliable datagrams (UD) from one queue pair to another of the same device, and answers one of them.
// Each request names its peer by an address handle, a queue pair number and a Q_Key. The receiver learns from the
// completion who sent a datagram.
//
//	ud                         on a device made of software
//	ud -device mlx5_0 -gid 3   on a real one
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const (
	port     = 1          // port of the device that both queue pairs use
	qkey     = 0x11223344 // of both queue pairs; a datagram with another one is dropped
	wrongKey = 0x55667788
	room     = 256 // bytes for the text of a datagram
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	gid := flag.Uint("gid", 0, "entry of the port's GID table")
	flag.Parse()
	if *gid > 255 {
		fmt.Fprintln(os.Stderr, "ud: -gid is 0 to 255")
		os.Exit(2)
	}
	if err := run(os.Stdout, *device, uint8(*gid)); err != nil {
		fmt.Fprintln(os.Stderr, "ud:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(w io.Writer, device string, gidIndex uint8) (err error) {
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
	return exchange(w, dev, gidIndex)
}

// exchange sends three datagrams: one with a wrong Q_Key, one with the right one, and the answer to that.
func exchange(w io.Writer, dev *verbs.Device, gidIndex uint8) error {
	alice, err := newEnd(dev)
	if err != nil {
		return err
	}
	bob, err := newEnd(dev)
	if err != nil {
		return err
	}
	attr, err := dev.QueryPort(port)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a datagram has at most as many bytes as the MTU of the port: %v\n", attr.ActiveMTU)

	// On the same device, the peer's GID is this side's own. Programs on two machines exchange GID, QP number and Q_Key.
	gid, err := dev.QueryGID(port, int(gidIndex))
	if err != nil {
		return err
	}
	path := verbs.AHAttr{PortNum: port, DLID: attr.LID, IsGlobal: true, DGID: gid, SGIDIndex: gidIndex, HopLimit: 64}
	toBob, err := alice.pd.CreateAH(path)
	if err != nil {
		return err
	}
	if err := alice.send(w, "lost", toBob, bob.qp.Num(), wrongKey); err != nil {
		return err
	}
	if err := alice.send(w, "hello", toBob, bob.qp.Num(), qkey); err != nil {
		return err
	}
	wc, text, err := bob.receive()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "received %q: %d bytes, of which the first %d are for the address of the sender\n", text, wc.ByteLen, verbs.GRHSize)

	back, err := bob.pd.CreateAHFromWC(&wc, bob.mem[:verbs.GRHSize], port)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "the completion names the sender: %t\n", wc.SrcQP == alice.qp.Num())
	if err := bob.send(w, "hello to you", back, wc.SrcQP, qkey); err != nil {
		return err
	}
	if _, text, err = alice.receive(); err == nil {
		fmt.Fprintf(w, "received the answer %q\n", text)
	}
	return err
}

// end is a queue pair with its queues and the memory for one datagram.
type end struct {
	pd             *verbs.PD
	sent, received *verbs.CQ
	qp             *verbs.QP
	mem            []byte
	sends          *verbs.SendBatch
}

// newEnd makes a queue pair that can send, and posts one receive.
func newEnd(dev *verbs.Device) (*end, error) {
	e := &end{mem: make([]byte, verbs.GRHSize+room)}
	var err error
	if e.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	if e.sent, err = dev.CreateCQ(1, nil, 0); err != nil {
		return nil, err
	}
	if e.received, err = dev.CreateCQ(1, nil, 0); err != nil {
		return nil, err
	}
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeUD, SendCQ: e.sent, RecvCQ: e.received, MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: 1,
		MaxRecvSGE: 1, MaxInlineData: 64,
	}
	if e.qp, err = e.pd.CreateQP(attr); err != nil {
		return nil, err
	}
	if err := (verbs.UDSetup{PortNum: port, QKey: qkey}).ToRTS(e.qp); err != nil { // there is no peer to connect to
		return nil, err
	}
	mr, err := e.pd.RegMR(e.mem, verbs.MRAccessLocalWrite)
	if err != nil {
		return nil, err
	}
	where, err := mr.SGE(0, mr.Length())
	if err != nil {
		return nil, err
	}
	recvs, err := verbs.NewRecvBatch(1, 1)
	if err != nil {
		return nil, err
	}
	recvs.WR(0).Recv(0).Add(where)
	if _, err := e.qp.PostRecv(recvs, 1); err != nil {
		return nil, err
	}
	e.sends, err = verbs.NewSendBatch(1, 1, verbs.InlineRoom(64))
	return e, err
}

// send sends a datagram, and says how that ended on this side: the sender does not learn whether it arrived.
func (e *end) send(w io.Writer, text string, to *verbs.AH, qpn, key uint32) error {
	wr := e.sends.WR(0).Send(0).InlineData([]byte(text)).Flags(verbs.SendSignaled)
	if err := to.Address(wr, qpn, key); err != nil {
		return err
	}
	if _, err := e.qp.PostSend(e.sends, 1); err != nil {
		return err
	}
	wc, err := wait(e.sent)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "sent %q with Q_Key 0x%x: %v\n", text, key, wc.Status)
	return nil
}

// receive waits for a datagram. In memory the text follows the 40 bytes of a global route header (GRH).
func (e *end) receive() (verbs.WC, string, error) {
	wc, err := wait(e.received)
	if err != nil {
		return wc, "", err
	}
	return wc, string(e.mem[verbs.GRHSize:wc.ByteLen]), nil
}

// wait polls until a request completes. A program with more to do sleeps on a completion channel instead.
func wait(cq *verbs.CQ) (verbs.WC, error) {
	var wcs [1]verbs.WC
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late); {
		n, err := cq.PollSpin(wcs[:], 100)
		if err != nil {
			return wcs[0], err
		}
		if n > 0 {
			return wcs[0], wcs[0].Err()
		}
	}
	return wcs[0], errors.New("nothing completed in ten seconds")
}
