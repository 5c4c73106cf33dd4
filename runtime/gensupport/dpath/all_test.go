//go:build linux && cgo

package dpath_test

import (
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// TestAll iterates over the requests of batches, also over the first only.
func TestAll(t *testing.T) {
	send, recv := sendBatch(t, 3, 1), recvBatch(t, 3, 1)
	next := 0
	for i, w := range send.All() {
		if i != next || w != send.WR(i) {
			t.Errorf("request %d is number %d", i, next)
		}
		next++
	}
	for i, w := range recv.All() {
		if w != recv.WR(i) {
			t.Errorf("receive %d is another one", i)
		}
		next++
		if i == 1 {
			break
		}
	}
	if next != 5 {
		t.Errorf("%d requests, want 3 and 2", next)
	}
	again := send.All()
	for range 2 {
		for range again {
			next++
		}
	}
	if next != 11 {
		t.Errorf("an iterator that is used twice: %d", next-5)
	}
	send.Close()
	panics(t, "the SendBatch is closed", func() {
		for range again {
		}
	})
	panics(t, "the RecvBatch is nil or was never made", func() {
		for range (*dpath.RecvBatch)(nil).All() {
		}
	})
	panics(t, "the SendBatch is nil or was never made", func() {
		for range new(dpath.SendBatch).All() {
		}
	})
}
