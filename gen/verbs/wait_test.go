//go:build linux && cgo

package verbs

import (
	"errors"
	"os"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestWaitClosedBeforeListening closes a queue between the first poll of a wait and the look for its channel.
func TestWaitClosedBeforeListening(t *testing.T) {
	soft := softverbs.New(softverbs.Name("soft0"))
	defer soft.Close()
	lib, err := LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.CloseAll()
	channel, err := dev.CreateCompChannel()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := dev.CreateCQ(1, channel, 0)
	if err != nil {
		t.Fatal(err)
	}
	wcs, polls := make([]dpath.WC, 1), 0
	n, err := cq.wait(t.Context(), len(wcs), func() (int, error) {
		n, err := cq.PollInto(wcs)
		if polls++; polls == 1 {
			if err := cq.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return n, err
	})
	if n != 0 || !errors.Is(err, os.ErrClosed) || polls != 2 {
		t.Errorf("%d, %v after %d polls", n, err, polls)
	}
}
