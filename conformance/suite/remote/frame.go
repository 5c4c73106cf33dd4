package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// magic and Protocol begin a connection in both directions: the only bytes that no later version may change.
const (
	magic    = "verbsgen"
	Protocol = 3
)

// Bounds on what is read from a peer.
const (
	maxFrame = (far.MaxData+2)/3*4 + 8192 // of JSON: the data of one operation in base64, and the other fields
	maxHello = 16 << 10
	maxText  = 160  // of a name or version
	maxWhy   = 1000 // of a reason
)

// hello is the first frame of each side, behind the magic.
type hello struct {
	Suite  string `json:"suite"`            // the cases, and so the program, that a side was built from
	About  About  `json:"about"`            // who speaks
	Nonce  []byte `json:"nonce"`            // nonceSize random bytes, for the proofs of this connection
	Secret bool   `json:"secret,omitempty"` // it serves only those who have the secret
}

// wire is a connection whose every read and write has a time limit.
type wire struct {
	conn  net.Conn
	step  time.Duration // for one frame from its first byte on, and for a write
	until time.Time     // for all reads and writes together, unless it is zero
	over  atomic.Bool   // it reads no more
}

// limit is when a read or write that may take so long has to end.
func (w *wire) limit(d time.Duration) time.Time {
	at := time.Now().Add(d)
	if !w.until.IsZero() && w.until.Before(at) {
		return w.until
	}
	return at
}

// stop ends the reading of now and later; what is to be written still is.
func (w *wire) stop() {
	w.over.Store(true)
	_ = w.conn.SetReadDeadline(time.Now())
}

var errStopped = errors.New("it was stopped")

// preamble returns the first bytes of a connection.
func preamble(version uint16) []byte {
	return binary.BigEndian.AppendUint16([]byte(magic), version)
}

// greet sends the preamble and the hello.
func (w *wire) greet(h hello) error {
	h.About = cleanAbout(h.About) // also bounds it
	body, err := frame(&h)
	if err != nil {
		return err
	}
	return w.write(append(preamble(Protocol), body...))
}

// met reads the other side's preamble and hello. suite is this side's.
func (w *wire) met(suite string) (*hello, error) {
	head := make([]byte, len(magic)+2)
	n, err := w.fill(head, w.step)
	if began := head[:min(n, len(magic))]; !bytes.Equal(began, []byte(magic)[:len(began)]) {
		return nil, fmt.Errorf("it does not speak this protocol: it begins with %q; is it a suite with -listen or -connect?", began)
	}
	if err != nil {
		return nil, fmt.Errorf("no greeting: %w", err)
	}
	if v := binary.BigEndian.Uint16(head[len(magic):]); v != Protocol {
		return nil,
			fmt.Errorf("it speaks version %d of the protocol and this side version %d; build both programs from the same source", v,
				Protocol)
	}
	h := &hello{}
	if err := w.read(h, maxHello, w.step); err != nil {
		return nil, fmt.Errorf("its greeting: %w", err)
	}
	h.Suite, h.About = clean(h.Suite, maxText), cleanAbout(h.About)
	if h.Suite != suite {
		return h, fmt.Errorf("it has another suite, %q, and this side %q; build both programs from the same source", h.Suite, suite)
	}
	if len(h.Nonce) != nonceSize {
		return h, fmt.Errorf("its greeting: a nonce of %d bytes; it has %d", len(h.Nonce), nonceSize)
	}
	return h, nil
}

// frame returns the bytes of a message: its length in four bytes, then JSON.
func frame(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(body) > maxFrame {
		return nil, fmt.Errorf("a message of %d bytes; at most %d go", len(body), maxFrame)
	}
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...), nil
}

// send writes one message.
func (w *wire) send(v any) error {
	b, err := frame(v)
	if err != nil {
		return err
	}
	return w.write(b)
}

func (w *wire) write(b []byte) error {
	if err := w.conn.SetWriteDeadline(w.limit(w.step)); err != nil {
		return err
	}
	_, err := w.conn.Write(b)
	return w.plain(err, w.step)
}

// read waits for a message of at most so many bytes, as long as patience says, and reads it into v.
func (w *wire) read(v any, most uint32, patience time.Duration) error {
	var head [4]byte
	if _, err := w.fill(head[:1], patience); err != nil {
		return err
	}
	if _, err := w.fill(head[1:], w.step); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > most {
		return fmt.Errorf("a message of %d bytes; it may have 1 to %d", n, most)
	}
	body := make([]byte, n)
	if _, err := w.fill(body, w.step); err != nil {
		return err
	}
	return decode(body, v)
}

// fill reads until b is full.
func (w *wire) fill(b []byte, limit time.Duration) (int, error) {
	if err := w.conn.SetReadDeadline(w.limit(limit)); err != nil {
		return 0, err
	}
	if w.over.Load() { // after the deadline: stop sets it the other way around
		return 0, errStopped
	}
	n, err := io.ReadFull(w.conn, b)
	if err != nil && w.over.Load() {
		return n, errStopped
	}
	return n, w.plain(err, limit)
}

// decode reads the JSON of a message strictly: an unknown field and anything behind the object are errors.
func decode(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("a message that cannot be read: %s", clean(err.Error(), maxWhy))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("a message with something behind its end")
	}
	return nil
}

var (
	errClosed = errors.New("the connection was closed by the other side")
	errSlow   = errors.New("it took too long")
)

// plain words the errors of a connection that everybody meets.
func (w *wire) plain(err error, limit time.Duration) error {
	var slow net.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errClosed
	case errors.As(err, &slow) && slow.Timeout() && !w.until.IsZero() && !time.Now().Before(w.until):
		return errSlow
	case errors.As(err, &slow) && slow.Timeout():
		return fmt.Errorf("nothing came or went for %v", limit)
	}
	return err
}

// clean makes a text of the peer fit to be shown: of a bounded length, on one line, nothing but what can be printed.
func clean(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit-3], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// Fingerprint tells a set of cases from others.
func Fingerprint(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return fmt.Sprintf("%d cases, %x", len(ids), sum[:4])
}
