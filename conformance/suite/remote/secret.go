package remote

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// Bounds on a secret.
const (
	minSecret = 16
	maxSecret = 4096
	nonceSize = 32
)

// ReadSecret reads the secret of both sides from a file. Space around it does not count.
func ReadSecret(name string) ([]byte, error) {
	const fix = "write one with: head -c 32 /dev/urandom | base64 > FILE"
	f, err := regular.Open(name)
	if err != nil {
		return nil, fmt.Errorf("-secret: %w; name a file that both sides have a copy of", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return nil, fmt.Errorf("-secret %s: %w", name, err)
	}
	if len(b) > maxSecret {
		return nil, fmt.Errorf("-secret %s: it has more than %d bytes; %s", name, maxSecret, fix)
	}
	if b = bytes.TrimSpace(b); len(b) < minSecret {
		return nil, fmt.Errorf("-secret %s: a secret of %d bytes; it has at least %d; %s", name, len(b), minSecret, fix)
	}
	return b, nil
}

// proof is what the connecting side sends behind the greetings.
type proof struct {
	Proof []byte `json:"proof,omitempty"`
}

// verdict is the answer to it, before the first request.
type verdict struct {
	Proof   []byte `json:"proof,omitempty"`
	Refused string `json:"refused,omitempty"` // why the far side will not serve
	Never   bool   `json:"never,omitempty"`   // it will not do so later either
}

// The sides of a proof. They differ, so that no side can send back what it got.
const (
	connecting = "verbsgen connecting side"
	listening  = "verbsgen listening side"
)

// prove shows the other side of a connection that this side has the secret. What goes over the wire helps nobody on another connection.
func prove(secret []byte, side string, client, server []byte) []byte {
	if secret == nil {
		return nil
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(side))
	h.Write(client)
	h.Write(server)
	return h.Sum(nil)
}

func nonce() []byte {
	b := make([]byte, nonceSize)
	rand.Read(b) // never fails
	return b
}

// otherSecret is why a side without the right secret is refused, and refuses.
const otherSecret = "its secret is another one; start both sides with the same file as -secret"
