//go:build linux && cgo

package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	const want = "2 clients put 20 keys each and got those of all; the server drained 80 puts\n"
	for _, device := range slices.Compact([]string{"", os.Getenv("VERBS_DEVICE")}) {
		var out strings.Builder
		err := start.On(device, func(dev *verbs.Device) error { return share(t.Context(), &out, dev) })
		if err != nil || out.String() != want {
			t.Errorf("device %q: %v, printed\n%swant\n%s", device, err, &out, want)
		}
	}
}

// TestFullRing has a server that drains nothing: a put waits when the ring is full, and writes nothing.
func TestFullRing(t *testing.T) {
	_, dev := verbstest.Open(t)
	defer dev.CloseAll()
	s, err := newServer(dev, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.mu.Lock() // nothing is drained
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := join(ctx, s, dev, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range ringSize {
		if err := c.put(ctx, "key", strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := c.put(ctx, "key", "too much"); !errors.Is(err, context.Canceled) || c.sent != ringSize {
		t.Errorf("put %d: %v", c.sent, err)
	}
}

// TestEntry has entries that are whole, and ones that were read while the server changed them.
func TestEntry(t *testing.T) {
	old, now := make([]byte, entrySize), make([]byte, entrySize)
	seal(old, "key", "before")
	seal(now, "key", strings.Repeat("x", valueSize))
	if key, value, ok := parse(now); key != "key" || len(value) != valueSize || !ok {
		t.Errorf("%q, %q, %t", key, value, ok)
	}
	for n := keySize + 1; n < entrySize; n++ {
		if _, _, ok := parse(append(now[:n:n], old[n:]...)); ok {
			t.Errorf("an entry with %d bytes of another is taken", n)
		}
	}
}

// TestPutRefused refuses what an entry has no room for, and store what the table has none for.
func TestPutRefused(t *testing.T) {
	for _, kv := range [][2]string{{"", "v"}, {strings.Repeat("k", keySize+1), "v"}, {"k", strings.Repeat("v", valueSize+1)}} {
		if err := new(client).put(t.Context(), kv[0], kv[1]); err == nil || !strings.Contains(err.Error(), "a key has 1 to 24 bytes") {
			t.Errorf("%q: %v", kv, err)
		}
	}
	s := &server{table: make([]byte, slots*entrySize)}
	for i := range slots {
		if err := s.store(strconv.Itoa(i), ""); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := s.store("one more", ""); err == nil || !strings.Contains(err.Error(), "full") {
		t.Error(err)
	}
}
