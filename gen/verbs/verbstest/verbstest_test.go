package verbstest_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestPairOn connects queue pairs in domains of the test, on two devices, and closes all before the test ends.
func TestPairOn(t *testing.T) {
	soft, dev := verbstest.Open(t, softverbs.AnotherDevice("soft1"))
	other, err := dev.Lib().OpenDevice(soft.Names()[1])
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(other.CloseAll(), dev.CloseAll()); err != nil {
			t.Error(err)
		}
	}()
	left, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	right, err := other.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	a, b := verbstest.PairOn(t, left, right)
	if a.PD != left || b.PD != right || a.QP.PD() != left {
		t.Error("the ends are in other domains")
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if err := left.Close(); err != nil {
		t.Errorf("the domain is not as it was: %v", err)
	}
}

// TestWait waits for numbers of completions that nobody can mean.
func TestWait(t *testing.T) {
	_, dev := verbstest.Open(t)
	a, _ := verbstest.Pair(t, dev)
	for _, n := range []int{0, -1, math.MinInt} {
		if wcs, err := verbstest.Wait(a.SendCQ, n); len(wcs) > 0 || err != nil {
			t.Errorf("Wait for %d completions = %v, %v", n, wcs, err)
		}
	}
	closed, err := dev.CreateCQ(1, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := verbstest.Wait(closed, math.MaxInt); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Wait for completions of a closed queue: %v", err)
	}
}

// fatal is a test that keeps why it ended.
type fatal struct {
	testing.TB
	why string
}

func (f *fatal) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestDevice opens what VERBS_DEVICE names, and without it a software device.
func TestDevice(t *testing.T) {
	if os.Getenv("VERBS_DEVICE") == "" && !strings.Contains(verbstest.Device(t, softverbs.Name("ours")).String(), "ours") {
		t.Error("not the software device")
	}
	t.Setenv("VERBS_DEVICE", "none_such")
	f := &fatal{TB: t}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		verbstest.Device(f)
	}()
	if <-ended; !strings.HasPrefix(f.why, "VERBS_DEVICE is none_such: ") {
		t.Errorf("the test ended with %q", f.why)
	}
}
