//go:build !linux || !cgo

package softverbs

import (
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

var errNoCgo = fmt.Errorf("softverbs: the software device is written in C and needs cgo on Linux: %w", errors.ErrUnsupported)

func newInstance(*settings) (int, error) { return -1, errNoCgo }

func closeInstance(int) error { return errNoCgo }

func symbol(int, string, string) uintptr { return 0 }

func arm(int, string, uint64, syscall.Errno) error { return errNoCgo }

func armCount(int, counter, uint64, int) error { return errNoCgo }

func setGone(int, string) error { return errNoCgo }

func hold(int, string, uint32, bool) error { return errNoCgo }

func delay(int, time.Duration, time.Duration) error { return errNoCgo }

func memlock(int, string) (limit, pinned uint64) { return 0, 0 }

func report(int) string { return "" }

func peerStart(int, string) (unsafe.Pointer, error) { return nil, errNoCgo }

func peerStop(unsafe.Pointer) {}

func peerOp(unsafe.Pointer, int, uint32, uint64, []byte, uint64, uint64) (uint64, Status, error) {
	return 0, 0, errNoCgo
}

func peerStress(unsafe.Pointer, uint32, uint64, uint64) error { return errNoCgo }

func peerReport(unsafe.Pointer, bool) (Report, error) { return Report{}, errNoCgo }

func setPort(int, string, uint32, bool) error { return errNoCgo }
