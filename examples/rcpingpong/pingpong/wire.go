package pingpong

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// What goes over TCP: the client's address, the server's address, the client's word that it has the address. Both are
// strings of C with their final zero, and the C program takes each by a single read: each is a single write here.
const (
	addressLen = 4 + 1 + 6 + 1 + 6 + 1 + 32 + 1
	done       = "done\x00"
)

// Address is what a side tells its peer of its queue pair.
type Address struct {
	LID uint16    // of the port; 0 on Ethernet
	QPN uint32    // number of the queue pair, 24 bits
	PSN uint32    // number of the first packet that the side sends, 24 bits
	GID verbs.GID // zero where the side is reached by its LID alone
}

func (a Address) String() string {
	return fmt.Sprintf("LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", a.LID, a.QPN, a.PSN, a.GID)
}

// wire returns the address as it is sent: hexadecimal numbers with all their digits, the GID's bytes in order.
func (a Address) wire() []byte {
	return fmt.Appendf(nil, "%04x:%06x:%06x:%x\x00", a.LID, a.QPN, a.PSN, a.GID[:])
}

// parseAddress reads what a peer sent, and takes nothing but an address in full.
func parseAddress(msg []byte) (a Address, err error) {
	bad := fmt.Errorf("the peer sent %q, which is no LID:QPN:PSN:GID", msg)
	if len(msg) != addressLen || msg[addressLen-1] != 0 {
		return a, bad
	}
	parts := strings.Split(string(msg[:addressLen-1]), ":")
	if len(parts) != 4 || len(parts[1]) != 6 || len(parts[2]) != 6 {
		return a, bad
	}
	var numbers [3]uint32
	for i := range numbers {
		n, err := strconv.ParseUint(parts[i], 16, 32)
		if err != nil {
			return a, bad
		}
		numbers[i] = uint32(n)
	}
	gid, err := hex.DecodeString(parts[3])
	if err != nil || len(gid) != len(a.GID) { // with all other lengths right, so is the LID's
		return a, bad
	}
	return Address{LID: uint16(numbers[0]), QPN: numbers[1], PSN: numbers[2], GID: verbs.GID(gid)}, nil
}

// meeting tells the peer the address of a side, and has the side connect to the peer's before the peer may go on.
type meeting func(ctx context.Context, mine Address, timeout time.Duration, connect func(Address) error) error

// asServer waits for one client, for as long as ctx allows, and closes the listener.
func asServer(ln net.Listener) meeting {
	return func(ctx context.Context, mine Address, timeout time.Duration, connect func(Address) error) error {
		stop := context.AfterFunc(ctx, func() { ln.Close() })
		defer stop()
		conn, err := ln.Accept()
		ln.Close()
		if ctx.Err() != nil && err != nil {
			return fmt.Errorf("waiting for a client: %w", context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("waiting for a client: %w", err)
		}
		return talk(ctx, conn, timeout, func() error {
			peer, err := hear(conn)
			if err != nil {
				return err
			}
			if err := connect(peer); err != nil {
				return err
			}
			if _, err := conn.Write(mine.wire()); err != nil {
				return fmt.Errorf("sending the address: %w", err)
			}
			var word [len(done)]byte
			if n, err := io.ReadFull(conn, word[:]); err != nil {
				return fmt.Errorf("the client did not confirm the address, only sent %q: %w", word[:n], err)
			}
			if string(word[:]) != done {
				return fmt.Errorf("the client sent %q in place of %q", word, done)
			}
			return nil
		})
	}
}

// asClient goes to a server at a TCP address.
func asClient(server string) meeting {
	return func(ctx context.Context, mine Address, timeout time.Duration, connect func(Address) error) error {
		conn, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, "tcp", server)
		if err != nil {
			return fmt.Errorf("going to the server: %w", err)
		}
		return talk(ctx, conn, timeout, func() error {
			if _, err := conn.Write(mine.wire()); err != nil {
				return fmt.Errorf("sending the address: %w", err)
			}
			peer, err := hear(conn)
			if err != nil {
				return err
			}
			if err := connect(peer); err != nil {
				return err
			}
			if _, err := conn.Write([]byte(done)); err != nil {
				return fmt.Errorf("confirming the address: %w", err)
			}
			return nil
		})
	}
}

// talk holds a conversation that ends with the timeout or with ctx, and closes the connection.
func talk(ctx context.Context, conn net.Conn, timeout time.Duration, say func() error) error {
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return errors.Join(err, conn.Close())
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err := say()
	if stop() {
		return errors.Join(err, conn.Close())
	}
	return errors.Join(context.Cause(ctx), err)
}

// hear reads the peer's address.
func hear(conn net.Conn) (Address, error) {
	var msg [addressLen]byte
	if n, err := io.ReadFull(conn, msg[:]); err != nil {
		return Address{}, fmt.Errorf("reading the peer's address: %d of %d bytes came: %w", n, addressLen, err)
	}
	return parseAddress(msg[:])
}
