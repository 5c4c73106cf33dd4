package pingpong

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

var sample = Address{LID: 0x1a, QPN: 0x2b3c, PSN: 0xfedcba, GID: verbs.GID{0xfe, 0x80, 8: 0x12, 15: 0x34}}

const sampleText = "001a:002b3c:fedcba:fe800000000000001200000000000034\x00"

func TestAddress(t *testing.T) {
	if got := string(sample.wire()); got != sampleText {
		t.Errorf("sent %q, want %q", got, sampleText)
	}
	for _, text := range []string{sampleText, strings.ToUpper(sampleText)} {
		if got, err := parseAddress([]byte(text)); err != nil || got != sample {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for name, text := range map[string]string{
		"empty":          "",
		"short":          sampleText[:51],
		"long":           sampleText + "\x00",
		"no zero":        sampleText[:51] + "0",
		"no separator":   strings.Replace(sampleText, ":", "0", 1),
		"a sign":         strings.Replace(sampleText, "002b3c", "-02b3c", 1),
		"a prefix":       strings.Replace(sampleText, "002b3c", "0x2b3c", 1),
		"shifted colons": strings.Replace(sampleText, "001a:002b3c", "001a0:02b3c", 1),
		"no hex in GID":  strings.Replace(sampleText, "fe80", "fe8g", 1),
		"colon in GID":   strings.Replace(sampleText, "fe80", "fe8:", 1),
	} {
		if got, err := parseAddress([]byte(text)); err == nil {
			t.Errorf("%s: %q was taken as %v", name, text, got)
		}
	}
}

// meet has a side meet a peer that is a script, and gives what the side connected to.
func meet(t *testing.T, m meeting) (peer Address, err error) {
	t.Helper()
	err = m(t.Context(), sample, 5*time.Second, func(a Address) error {
		peer = a
		return nil
	})
	return peer, err
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// TestServerTalk pins what a server reads and writes, and what it does not take.
func TestServerTalk(t *testing.T) {
	for name, c := range map[string]struct{ address, confirm, problem string }{
		"as agreed":      {sampleText, done, ""},
		"silent":         {"", "", "0 of 52 bytes"},
		"half a message": {sampleText[:20], "", "20 of 52 bytes"},
		"garbage":        {strings.Repeat("x", addressLen), "", "no LID:QPN:PSN:GID"},
		"not confirmed":  {sampleText, "", "did not confirm"},
		"another word":   {sampleText, "gone\x00", `"gone\x00" in place of`},
	} {
		t.Run(name, func(t *testing.T) {
			ln := listen(t)
			heard := make(chan string, 1)
			go func() {
				conn, err := net.Dial("tcp", ln.Addr().String())
				if err != nil {
					heard <- err.Error()
					return
				}
				defer conn.Close()
				io.WriteString(conn, c.address)
				reply := make([]byte, addressLen)
				if len(c.address) == addressLen {
					n, _ := io.ReadFull(conn, reply)
					reply = reply[:n]
				}
				io.WriteString(conn, c.confirm)
				heard <- string(reply)
			}()
			peer, err := meet(t, asServer(ln))
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("error %v, want one with %q", err, c.problem)
				}
				return
			}
			if reply := <-heard; err != nil || peer != sample || reply != sampleText {
				t.Errorf("connected to %v, replied %q, %v", peer, reply, err)
			}
		})
	}
}

// TestClientTalk pins what a client writes, reads and confirms.
func TestClientTalk(t *testing.T) {
	for name, c := range map[string]struct{ address, want, problem string }{
		"as agreed": {sampleText, sampleText + done, ""},
		"gone":      {"", sampleText, "0 of 52 bytes"},
		"garbage":   {strings.Repeat(":", addressLen), sampleText, "no LID:QPN:PSN:GID"},
	} {
		t.Run(name, func(t *testing.T) {
			ln := listen(t)
			heard := make(chan string, 1)
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					heard <- err.Error()
					return
				}
				defer conn.Close()
				first := make([]byte, addressLen)
				io.ReadFull(conn, first)
				io.WriteString(conn, c.address)
				if c.address == "" {
					conn.(*net.TCPConn).CloseWrite()
				}
				rest, _ := io.ReadAll(conn)
				heard <- string(first) + string(rest)
			}()
			peer, err := meet(t, asClient(ln.Addr().String()))
			if got := <-heard; got != c.want {
				t.Errorf("the server heard %q, want %q", got, c.want)
			}
			if c.problem == "" && (err != nil || peer != sample) {
				t.Errorf("connected to %v, %v", peer, err)
			}
			if c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
				t.Errorf("error %v, want one with %q", err, c.problem)
			}
		})
	}
}

// TestTalkEnds has a side wait for a peer that says nothing: a timeout, or the end of the context, ends it.
func TestTalkEnds(t *testing.T) {
	ln := listen(t)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	never := func(Address) error { return errors.New("connected to nobody") }
	client := asClient(ln.Addr().String())
	var timeout net.Error
	if err := client(t.Context(), sample, 20*time.Millisecond, never); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("after the timeout: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := client(ctx, sample, time.Minute, never); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the end of the context: %v", err)
	}
	if err := asServer(listen(t))(ctx, sample, time.Minute, never); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server without a client: %v", err)
	}
}
