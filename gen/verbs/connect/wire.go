package connect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Each side sends a hello, and when it is connected, or cannot be, a byte that says so. All numbers are in network byte order.
const (
	magic      = "RDMA"
	version    = 1
	headLength = 27
	maxGIDs    = 64
	MaxData    = 4096 // bytes of Data

	ready  = 1
	failed = 2
)

// hello is what a side says of itself. One whose fields but magic and version are zero says that the side gives up:
//
//	bytes 0-3   RDMA
//	4           version
//	5, 6        link layer, MTU: codes of verbs
//	7           MaxDestRDAtomic
//	8-9         LID
//	10-13       QP number
//	14-17       number of the first packet
//	18-19       number of GIDs, each of 16 bytes, which follow
//	20-21       length of the data, which follows them
//	22          type of the queue pair: a code of verbs
//	23-26       Q_Key, of one for datagrams
type hello struct {
	kind     verbs.QPType
	link     verbs.LinkLayer
	mtu      verbs.MTU
	reads    uint8
	lid      uint16
	qpn, psn uint32
	key      uint32
	gids     []entry
	data     []byte
}

func (h *hello) wire() []byte {
	out := append([]byte(magic), version, uint8(h.link), uint8(h.mtu), h.reads)
	out = binary.BigEndian.AppendUint16(out, h.lid)
	out = binary.BigEndian.AppendUint32(out, h.qpn)
	out = binary.BigEndian.AppendUint32(out, h.psn)
	out = binary.BigEndian.AppendUint16(out, uint16(len(h.gids)))
	out = binary.BigEndian.AppendUint16(out, uint16(len(h.data)))
	out = binary.BigEndian.AppendUint32(append(out, uint8(h.kind)), h.key)
	for _, e := range h.gids {
		out = append(out, e.gid[:]...)
	}
	return append(out, h.data...)
}

// readHello reads what the peer says, and takes nothing that it cannot be.
func readHello(r io.Reader) (*hello, error) {
	var head [headLength]byte
	if err := readFull(r, head[:5], "its address"); err != nil {
		return nil, err
	}
	if string(head[:4]) != magic {
		return nil, fmt.Errorf("the peer begins with %q, not %q; is there another program at this address?", head[:4], magic)
	}
	if head[4] != version {
		return nil, fmt.Errorf("the peer speaks version %d, and this side version %d; run the same program on both", head[4], version)
	}
	if err := readFull(r, head[5:], "its address"); err != nil {
		return nil, err
	}
	h := &hello{link: verbs.LinkLayer(head[5]), mtu: verbs.MTU(head[6]), reads: head[7], lid: binary.BigEndian.Uint16(head[8:]),
		qpn: binary.BigEndian.Uint32(head[10:]), psn: binary.BigEndian.Uint32(head[14:]), kind: verbs.QPType(head[22]),
		key: binary.BigEndian.Uint32(head[23:])}
	gids, data := binary.BigEndian.Uint16(head[18:]), binary.BigEndian.Uint16(head[20:])
	switch {
	case h.mtu == 0 && h.qpn == 0:
		return nil, errors.New("the peer gave up before it had an address; its own error says why")
	case h.qpn>>24 != 0 || h.psn>>24 != 0:
		return nil, fmt.Errorf("the peer sent queue pair 0x%x and packet 0x%x; both have 24 bits", h.qpn, h.psn)
	case h.mtu < verbs.MTU256 || h.mtu > verbs.MTU4096:
		return nil, fmt.Errorf("the peer sent the MTU code %d; it is 1 to 5", uint8(h.mtu))
	case gids > maxGIDs || data > MaxData:
		return nil, fmt.Errorf("the peer announces %d GIDs and %d bytes of data; the most are %d and %d", gids, data, maxGIDs, MaxData)
	}
	for range gids {
		var e entry
		if err := readFull(r, e.gid[:], "its GIDs"); err != nil {
			return nil, err
		}
		h.gids = append(h.gids, e)
	}
	h.data = make([]byte, data)
	return h, readFull(r, h.data, "its data")
}

// readReady waits until the peer is connected.
func readReady(r io.Reader) error {
	var word [1]byte
	if err := readFull(r, word[:], "that it is connected"); err != nil {
		return err
	}
	if word[0] != ready {
		return errors.New("the peer could not connect its queue pair; its own error says why")
	}
	return nil
}

// readFull reads a part of what the peer says.
func readFull(r io.Reader, into []byte, what string) error {
	n, err := io.ReadFull(r, into)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the peer closed the connection before it sent %s (%d of %d bytes came); see its error: %w", what, n,
			len(into), io.ErrUnexpectedEOF)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the peer did not send %s in time; does it run, and call connect too? %w", what, err)
	}
	return fmt.Errorf("reading from the peer: %w", err)
}
