package remote

import (
	"crypto/tls"
	"io"
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
		{"another", other, one, "its secret is another one; start both sides with the same file as -secret",
			": its secret is another one"},
		{"none here", nil, one, "it serves only those who have its secret; start this side with the same file as -secret",
			": it came without -secret"},
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

// TestSecretOfClients has a server turn away a client that takes any server.
func TestSecretOfClients(t *testing.T) {
	s := serve(t, func(s *Server) { s.Secret = []byte("a secret of one side") })
	cfg, err := shared([]byte("a secret of another"))
	if err != nil {
		t.Fatal(err)
	}
	for name, mine := range map[string][]tls.Certificate{"another key": cfg.Certificates, "none": nil} {
		conn, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, Certificates: mine})
		if err == nil {
			_, _ = io.WriteString(conn, post("a suite", askHello, "{}"))
			_, err = io.ReadAll(conn)
		}
		says(t, name, err, "remote error: tls: ")
	}
	s.said(t, ": its secret is another one")
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
