//go:build linux && cgo

package device

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// deviceVar names the device for a process that a test starts.
const deviceVar = "VERBS_TEST_DEVICE"

// TestMemlock runs a process of another user that may lock 64 KiB.
func TestMemlock(t *testing.T) {
	_, name := library(t)
	if os.Geteuid() != 0 {
		lacking(t, "only root can start a process of another user")
	}
	noLeak(t)
	runChild(t, time.Minute, "memlock", deviceVar+"="+name)
}

// lockedMemory is that process. As long as it is root, the limit does not hold.
func lockedMemory() error {
	const limit, nobody = 64 << 10, 65534
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return fmt.Errorf("setrlimit: %w", err)
	}
	if err := registers(16 * limit); err != nil {
		return fmt.Errorf("as root: %w", err)
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		return fmt.Errorf("become user %d: %w", nobody, err)
	}
	return withDomain(func(pd *verbs.PD) error {
		first, err := register(pd, limit/2)
		if err != nil {
			return fmt.Errorf("half of the limit: %w", err)
		}
		for round := range 3 { // what is refused must not count
			if _, err = register(pd, limit); err == nil {
				return fmt.Errorf("round %d: half of the limit and the limit are registered", round)
			}
			if err := explained(err, "64 KiB", "32 KiB pinned"); err != nil {
				return err
			}
		}
		fmt.Println("refused:", err)
		second, err := register(pd, limit/2)
		if err != nil {
			return fmt.Errorf("the other half of the limit: %w", err)
		}
		if err := errors.Join(first.Close(), second.Close()); err != nil {
			return err
		}
		whole, err := register(pd, limit)
		if err != nil {
			return fmt.Errorf("the whole limit, with nothing else: %w", err)
		}
		return whole.Close()
	})
}

// registers registers some memory in a device that is open for this alone.
func registers(n uint64) error {
	return withDomain(func(pd *verbs.PD) error {
		mr, err := register(pd, n)
		if err != nil {
			return err
		}
		return mr.Close()
	})
}

// withDomain calls f with a domain, and is an error when f leaves something open.
func withDomain(f func(*verbs.PD) error) error {
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(os.Getenv(deviceVar))
	if err != nil {
		return err
	}
	pd, err := dev.AllocPD()
	if err != nil {
		return errors.Join(err, dev.Close())
	}
	if err := f(pd); err != nil {
		return err // the process ends
	}
	return errors.Join(pd.Close(), dev.Close())
}

// register registers pages of their own, which live as long as the process.
func register(pd *verbs.PD, n uint64) (*verbs.MR, error) {
	buf, err := mem.New(n)
	if err != nil {
		return nil, err
	}
	return pd.RegMRFrom(buf, verbs.MRAccessLocalWrite)
}

// explained wants ENOMEM of the kernel, with the limit, what is used of it, and how to raise it.
func explained(err error, words ...string) error {
	var e *verr.Error
	if !errors.As(err, &e) || e.Refused || !errors.Is(err, syscall.ENOMEM) {
		return fmt.Errorf("not ENOMEM of the kernel: %w", err)
	}
	for _, w := range append(words, "RLIMIT_MEMLOCK", "ulimit -l", "LimitMEMLOCK=") {
		if !strings.Contains(err.Error(), w) {
			return fmt.Errorf("the error does not say %q: %w", w, err)
		}
	}
	return nil
}
