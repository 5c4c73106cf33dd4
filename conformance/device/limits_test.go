//go:build linux && cgo

package device

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
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

// spareVar tells a process how many file descriptors it may still open.
const spareVar = "VERBS_TEST_SPARE"

// TestFiles runs processes that may open few files more. What fails is EMFILE, and nothing stays open. A process whose first
// device list falls into such a time is worse off, since the library looks for its providers only then.
func TestFiles(t *testing.T) {
	_, name := library(t)
	noLeak(t)
	for spare := range 4 {
		runChild(t, time.Minute, "first-list", deviceVar+"="+name, fmt.Sprintf("%s=%d", spareVar, spare))
	}
	runChild(t, time.Minute, "few-files", deviceVar+"="+name)
}

// firstList asks for the devices for the first time with few descriptors left: it may say that it cannot tell, or give the device.
func firstList() error {
	spare, err := strconv.Atoi(os.Getenv(spareVar))
	if err != nil {
		return err
	}
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	if _, err := leave(spare); err != nil {
		return err
	}
	list, err := lib.Devices()
	fmt.Printf("the first list, %d descriptors left: %d devices, %v\n", spare, len(list), err)
	if err == nil && spare > 0 && slices.ContainsFunc(list, func(d verbs.DeviceEntry) bool { return d.Name == os.Getenv(deviceVar) }) {
		return nil
	}
	return outOfFiles(err)
}

// outOfFiles wants EMFILE, which no program takes for a machine without RDMA.
func outOfFiles(err error) error {
	var e *verr.Error
	if !errors.As(err, &e) || !errors.Is(err, syscall.EMFILE) || errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("not EMFILE: %v", err)
	}
	return nil
}

// fewFiles leaves more and more descriptors, until a device can be used. On the way each step must have failed.
func fewFiles() error {
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	if err := use(lib); err != nil {
		return err
	}
	failed := map[string]bool{}
	for spare := range 16 {
		before, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		restore, err := leave(spare)
		if err != nil {
			return err
		}
		use := use(lib)
		restore()
		after, err := os.ReadDir("/proc/self/fd")
		if err != nil || len(after) != len(before) {
			return fmt.Errorf("%d files were open, now %d, %v", len(before), len(after), err)
		}
		fmt.Printf("%d descriptors left: %v\n", spare, use)
		if use == nil {
			if len(failed) != 3 {
				return fmt.Errorf("not every step has failed before: %v", failed)
			}
			return nil
		}
		if err := outOfFiles(use); err != nil {
			return err
		}
		var e *verr.Error
		errors.As(use, &e)
		failed[e.Verb] = true
	}
	return errors.New("16 descriptors do not do")
}

// use lists the devices, opens one, and makes a channel.
func use(lib *verbs.Lib) error {
	list, err := lib.Devices()
	if err != nil || len(list) == 0 {
		return errors.Join(err)
	}
	dev, err := lib.OpenDevice(os.Getenv(deviceVar))
	if err != nil {
		return err
	}
	ch, err := dev.CreateCompChannel()
	if err != nil {
		return errors.Join(err, dev.Close())
	}
	return errors.Join(ch.Close(), dev.Close())
}

// leave lowers the limit so that a number of descriptors can still be opened.
func leave(spare int) (restore func() error, err error) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		return nil, err
	}
	limit := 0
	for left := 0; left <= spare; limit++ {
		if _, err := unix.FcntlInt(uintptr(limit), unix.F_GETFD, 0); err != nil {
			left++
		}
	}
	few := before
	few.Cur = uint64(limit - 1)
	return func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &before) }, unix.Setrlimit(unix.RLIMIT_NOFILE, &few)
}
