package remote

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSecret connects sides with and without a secret, and with different ones. Only those with the same one come to a session.
func TestSecret(t *testing.T) {
	one, other := []byte("a secret of one side"), []byte("a secret of another")
	for _, c := range []struct {
		name         string
		here, there  []byte
		says, server string
	}{
		{"the same", one, one, "", "a session with near"},
		{"another", other, one, "it will not serve: its secret is another one; start both sides with the same file as -secret",
			"was turned away: its secret is another one"},
		{"none here", nil, one, "it serves only those who have its secret; start this side with the same file as -secret",
			"was turned away: its proof: the connection was closed"},
		{"none there", one, nil, "it was started without -secret, and this side with it; start both sides with the same file", ""},
	} {
		s := serve(t, func(s *Server) { s.Secret = c.there })
		to := client(s.addr)
		to.Secret, to.Wait = c.here, 20*time.Second // waiting does not help
		p, err := Dial(t.Context(), to)
		if c.says == "" {
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			newEnd(t, p)
		} else {
			says(t, c.name, err, "-connect "+s.addr+": "+c.says)
		}
		s.said(t, c.server)
		s.stop()
		if err := s.ended(t); err != nil {
			t.Error(err)
		}
	}
}

// TestSecretStays records what goes over the wire: the secret is not in it, and the client's part is worth nothing on another connection.
func TestSecretStays(t *testing.T) {
	secret := []byte("a secret of one side")
	s := serve(t, func(s *Server) { s.Secret = secret })
	recorded := &recorder{}
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	recorded.Conn = conn
	c := Client{Suite: "a suite", About: someone("near"), Secret: secret}
	if _, err := greeting(&wire{conn: recorded, step: 20 * time.Second}, &c); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if bytes.Contains(recorded.sent.Bytes(), secret) || bytes.Contains(recorded.got.Bytes(), secret) {
		t.Error("the secret went over the wire")
	}
	s.free(t)
	again, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Write(recorded.sent.Bytes()); err != nil {
		t.Fatal(err)
	}
	w := &wire{conn: again, step: 20 * time.Second}
	v := &verdict{}
	if _, err := w.met("a suite"); err != nil {
		t.Fatal(err)
	}
	if err := w.read(v, maxHello, time.Minute); err != nil || !v.Never || v.Proof != nil {
		t.Errorf("the same bytes again: %+v, %v", v, err)
	}
}

// recorder keeps what goes over a connection.
type recorder struct {
	net.Conn
	sent, got bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.sent.Write(b)
	return r.Conn.Write(b)
}

func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.got.Write(b[:n])
	return n, err
}

// TestReadSecret reads good and bad files.
func TestReadSecret(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadSecret(file("good", " sixteen and more\n\n")); err != nil || string(b) != "sixteen and more" {
		t.Errorf("%q, %v", b, err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "none"):         "none: no such file or directory; name a file that both sides have a copy of",
		dir:                                "is a directory; name a file",
		pipe:                               "it is a named pipe, and only regular files are read",
		file("empty", "\n"):                "empty: a secret of 0 bytes; it has at least 16; write one with: head -c 32",
		file("short", "0123456789abcde\n"): "short: a secret of 15 bytes; it has at least 16",
		file("long", strings.Repeat("long", maxSecret)): "long: it has more than 4096 bytes; write one with",
	} {
		b, err := ReadSecret(name)
		if b != nil {
			t.Errorf("%s: %q", name, b)
		}
		says(t, name, err, "-secret")
		says(t, name, err, want)
	}
}

// TestAcceptAgain has a listener that fails now and then, as for want of descriptors: the server goes on.
func TestAcceptAgain(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServing(t)
	s.serveOn(t, &failing{Listener: ln, left: 3})
	newEnd(t, dial(t, s.addr))
	s.said(t, "a connection cannot be accepted: accept: too many open files; trying again")
}

// failing is a listener whose first Accepts fail.
type failing struct {
	net.Listener
	left int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left--; f.left >= 0 {
		return nil, &net.OpError{Op: "accept", Err: errors.Join(syscall.EMFILE)}
	}
	return f.Listener.Accept()
}
