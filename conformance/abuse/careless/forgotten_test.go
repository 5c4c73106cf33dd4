//go:build linux && cgo

package careless

import (
	"errors"
	"runtime"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// collect has the collector find what a program has forgotten, and waits a moment for what is said of it.
func collect() error {
	for range 100 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("the program goes on")
}

// forgottenMistakes forget memory that a device may still use.
func forgottenMistakes() []mistake {
	said := []string{"mem: a Pin of 4096 bytes at 0x[0-9a-f]+ was forgotten: .*Unpin", "the program goes on"}
	return []mistake{
		{name: "a pin", says: append(said, `forgotten_test\.go:\d+`), make: func(*world) error {
			if _, err := mem.PinBytes(make([]byte, 4096)); err != nil {
				return nil
			}
			return collect()
		}},
		{name: "a pin that a region had", says: said, make: func(w *world) error {
			mr, err := func() (*verbs.MR, error) {
				p, err := mem.PinBytes(make([]byte, 4096))
				if err != nil {
					return nil, err
				}
				return w.a.PD.RegMRFrom(p, access)
			}()
			if err != nil {
				return nil
			}
			return errors.Join(mr.Close(), collect())
		}},
		{name: "a device with a region", says: said[1:], make: func(w *world) error {
			if dev, err := openFrom(w.soft, "soft1"); err == nil {
				if pd, err := dev.AllocPD(); err == nil {
					_, _ = pd.RegMR(make([]byte, 4096), access)
				}
			}
			return collect()
		}},
	}
}
