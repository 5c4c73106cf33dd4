package remote

import (
	"bytes"
	"crypto/ed25519"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// Bounds on a secret.
const (
	minSecret = 16
	maxSecret = 4096
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

// errSecret is why a side without the right secret is refused, and refuses.
var errSecret = errors.New("its secret is another one; start both sides with the same file as -secret")

// shared is how both sides that have a secret speak TLS: each has the key that is derived from it, and takes no other one.
func shared(secret []byte) (*tls.Config, error) {
	seed, err := pbkdf2.Key(sha256.New, string(secret), []byte("verbsgen conformance suite"), 100_000, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	self := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, self, self, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, // of names and dates: the key decides
		VerifyConnection: func(c tls.ConnectionState) error {
			if its, ok := c.PeerCertificates[0].PublicKey.(ed25519.PublicKey); !ok || !its.Equal(key.Public()) {
				return errSecret
			}
			return nil
		},
	}, nil
}
