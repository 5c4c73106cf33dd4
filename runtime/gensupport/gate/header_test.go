package gate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// TestHeader asks for the hash of gate.h as it is.
func TestHeader(t *testing.T) {
	text, err := os.ReadFile("gate.h")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	if want := hex.EncodeToString(sum[:8]); gate.Header != want {
		t.Errorf("Header is %q; set it to %q", gate.Header, want)
	}
}
