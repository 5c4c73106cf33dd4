//go:build linux && cgo

package oncard

import (
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestFaults has things go wrong at a device from outside: the program sees what it would see of a card.
func TestFaults(t *testing.T) {
	for _, device := range card.Devices { // of the requester, and of the responder
		t.Run(device, func(t *testing.T) {
			a, b := impatient(t, 7)
			at := a
			if device == card.Devices[1] {
				at = b
			}
			write := func(want verbs.WCStatus) {
				t.Helper()
				if got := writes(t, a, b, 1); got != want {
					t.Fatalf("status %v, want %v", got, want)
				}
			}
			event := func(want verbs.EventType) {
				t.Helper()
				got := must(at.PD.Device().NextEvent(t.Context()))(t)
				if got.Done(); got.Type != want {
					t.Fatalf("event %v of port %d, want %v", got.Type, got.Port, want)
				}
			}
			write(verbs.WCStatusSuccess)
			if at == a {
				fail(t, device, card.Faults{Delay: 20 * time.Millisecond})
				begin := time.Now()
				write(verbs.WCStatusSuccess)
				if took := time.Since(begin); took < 20*time.Millisecond {
					t.Errorf("a delayed request took %v", took)
				}
			}
			fail(t, device, card.Faults{Down: true})
			event(verbs.EventTypePortErr)
			if port := must(at.PD.Device().QueryPort(1))(t); port.State != verbs.PortStateDown {
				t.Errorf("the port is %v", port.State)
			}
			write(verbs.WCStatusRetryExcErr)
			fail(t, device, card.Faults{})
			event(verbs.EventTypePortActive)
			fail(t, device, card.Faults{Removed: true})
			event(verbs.EventTypeDeviceFatal)
			fail(t, device, card.Faults{})
		})
	}
}

// TestLost loses one request of ten: a queue pair that tries again gets all through, and one that does not fails soon.
func TestLost(t *testing.T) {
	for retries, want := range map[uint8]verbs.WCStatus{7: verbs.WCStatusSuccess, 0: verbs.WCStatusRetryExcErr} {
		a, b := impatient(t, retries)
		fail(t, card.Devices[0], card.Faults{Lost: .1})
		if got := writes(t, a, b, 300); got != want {
			t.Errorf("%d retries: %v, want %v", retries, got, want)
		}
		fail(t, card.Devices[0], card.Faults{})
	}
}

// impatient connects two queue pairs that wait for an acknowledgement for microseconds.
func impatient(t *testing.T, retries uint8) (a, b *link.End) {
	c := link.Default()
	c.Patience = link.Patience{Timeout: 1, Retries: retries}
	return pair(t, c)
}

// writes writes n times, one after the other, and returns the status of the first write that fails.
func writes(t *testing.T, a, b *link.End, n int) verbs.WCStatus {
	t.Helper()
	for range n {
		wc := a.Do(t, func(w verbs.SendWR) { w.Write(1, b.MR.IOVA(), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 8)) })
		if wc.Status != verbs.WCStatusSuccess {
			return wc.Status
		}
	}
	return verbs.WCStatusSuccess
}
