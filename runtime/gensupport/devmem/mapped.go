package devmem

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Mapped is memory of a device that a provider has mapped so that each load or store makes the device do something. An access of 4 or 8
// bytes is exactly one load or store, and a store has left the processor when it returns. The zero value is closed. A Mapped must not be
// copied after Open; accesses may run concurrently, also with End.
type Mapped struct {
	gate   gate.Gate // the first byte, memory of the provider
	length uint64
	verb   string // for errors
	at     uintptr
	gone   bool // unmapped. Accesses do not look at it, since they run beside Unmap
}

// Open lets accesses reach length bytes at the address that verb returned.
func (m *Mapped) Open(verb string, at unsafe.Pointer, length uint64) {
	if m == nil {
		return
	}
	m.verb, m.length, m.at = verb, length, uintptr(at)
	m.gate.Open(at)
}

// Len returns the number of bytes.
func (m *Mapped) Len() uint64 {
	if m == nil {
		return 0
	}
	return m.length
}

// PutUint32 writes v at byte off, a multiple of 4, with one store, in the byte order of the processor. A range beyond the end is EFAULT,
// another offset is EINVAL, and an access after Close is os.ErrClosed.
func (m *Mapped) PutUint32(off int64, v uint32) error {
	_, err := m.access(off, 4, true, uint64(v))
	return err
}

// PutUint64 is PutUint32 for 8 bytes, at a multiple of 8.
func (m *Mapped) PutUint64(off int64, v uint64) error {
	_, err := m.access(off, 8, true, v)
	return err
}

// GetUint32 reads the 4 bytes at byte off, a multiple of 4, with one load, in the byte order of the processor. Errors are those of
// PutUint32.
func (m *Mapped) GetUint32(off int64) (uint32, error) {
	v, err := m.access(off, 4, false, 0)
	return uint32(v), err
}

// GetUint64 is GetUint32 for 8 bytes, at a multiple of 8.
func (m *Mapped) GetUint64(off int64) (uint64, error) { return m.access(off, 8, false, 0) }

func (m *Mapped) access(off int64, width uint64, write bool, v uint64) (uint64, error) {
	refuse := func(errno syscall.Errno, msg string, err error) (uint64, error) {
		verb := ""
		if m != nil {
			verb = m.verb
		}
		return 0, &verr.Error{Verb: verb, Errno: errno, Refused: true, Msg: msg, Err: err}
	}
	switch {
	case m == nil || m.verb == "":
		return refuse(syscall.EINVAL, "the Mapped is nil or was never opened; map the memory first", nil)
	case off < 0 || uint64(off) > m.length || width > m.length-uint64(off):
		return refuse(syscall.EFAULT, "the range goes beyond the end of the memory", nil)
	case (m.at+uintptr(off))%uintptr(width) != 0:
		return refuse(syscall.EINVAL, "the address is not a multiple of the width of the access", nil)
	case !m.gate.IsOpen():
		return refuse(0, "the memory is closed", os.ErrClosed)
	}
	switch code := mappedAccess(&m.gate, uint64(off), int(width), write, &v); code {
	case 0:
		return v, nil
	case fail.ErrnoClosed:
		return refuse(0, "the memory is closed", os.ErrClosed)
	default:
		return refuse(code, "", nil)
	}
}

// End makes later accesses fail with os.ErrClosed, waits for those that are running, and calls destroy, as DM.End does.
func (m *Mapped) End(verb, kind string, most time.Duration, destroy func() error) error {
	if m == nil {
		return fail.NilHandle(verb, kind)
	}
	return m.gate.End(verb, kind, most, destroy)
}

// Unmap takes the pages with the memory out of the process. No access may reach them any more.
func (m *Mapped) Unmap() error {
	if m == nil || m.at == 0 || m.gone {
		return fail.NilValue("munmap", "the Mapped", "map the memory first")
	}
	page := uintptr(os.Getpagesize())
	begin, end := m.at&^(page-1), (m.at+uintptr(m.length)+page-1)&^(page-1)
	if errno := unmap(begin, end-begin); errno != 0 {
		return fail.Failed("munmap", errno, nil)
	}
	m.gone = true
	return nil
}
