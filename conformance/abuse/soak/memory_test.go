//go:build linux && cgo

package soak

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// memory is a registered region of one of several kinds. Its bytes are copied, so that nobody looks at memory that is gone.
type memory struct {
	mr    *verbs.MR
	mu    sync.RWMutex
	bytes []byte      // nil: they are in buf, or the memory is gone
	all   []byte      // bytes and what lies around them; nil for memory that is not Go's
	buf   *verbs.Buf  // or nil
	own   *mem.Buffer // or nil
}

const (
	headSize = 16 // of a message: number, length, checksum
	canary   = 64 // bytes before and behind memory of Go
	rights   = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
)

// newMemory registers memory of a random kind.
func (s *soak) newMemory(rng *rand.Rand, pd *verbs.PD, size int) (m *memory, err error) {
	m = &memory{}
	switch rng.IntN(4) {
	case 0:
		if m.own, err = mem.New(uint64(size)); err != nil {
			return nil, err
		}
		s.late.Store(m.own, true)
		m.bytes = m.own.Bytes()
		m.mr, err = pd.RegMRFrom(m.own, rights)
	case 1:
		if m.buf, err = pd.AllocBuf(uint64(size)); err != nil {
			return nil, err
		}
		if m.mr, err = pd.RegBufMR(m.buf, m.buf.Addr(), uint64(size), rights); err != nil {
			err = errors.Join(err, m.buf.Close())
		}
	default:
		return s.goMemory(pd, size)
	}
	return m, err
}

// goMemory registers memory of Go, with canaries around it.
func (s *soak) goMemory(pd *verbs.PD, size int) (m *memory, err error) {
	m = &memory{all: make([]byte, size+2*canary)}
	for i := range m.all {
		m.all[i] = 0xa5
	}
	m.bytes = m.all[canary : canary+size : canary+size]
	clear(m.bytes)
	if m.mr, err = pd.RegMR(m.bytes, rights); err == nil {
		note(m.mr)
	}
	return m, err
}

func (m *memory) read(p []byte, at int) error {
	if m.buf != nil {
		_, err := m.buf.ReadAt(p, int64(at))
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.bytes == nil {
		return os.ErrClosed
	}
	copy(p, m.bytes[at:])
	return nil
}

func (m *memory) write(p []byte, at int) error {
	if m.buf != nil {
		_, err := m.buf.WriteAt(p, int64(at))
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.bytes == nil {
		return os.ErrClosed
	}
	copy(m.bytes[at:], p)
	return nil
}

func (m *memory) word(at int) (uint64, error) {
	var p [8]byte
	err := m.read(p[:], at)
	return binary.NativeEndian.Uint64(p[:]), err
}

// remote is where a peer finds the memory.
func (m *memory) remote(at int) uint64 { return m.mr.IOVA() + uint64(at) }

// close ends the region, and the use of its memory.
func (m *memory) close(s *soak) {
	s.shut(m.mr)
	if m.buf != nil {
		s.shut(m.buf)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = nil
	if m.own != nil && m.own.Close() == nil {
		s.late.Delete(m.own)
	}
	for i := range m.all {
		if (i < canary || i >= len(m.all)-canary) && m.all[i] != 0xa5 {
			s.problem("byte %d beside registered memory of %d bytes was written", i-canary, len(m.all)-2*canary)
			break
		}
	}
	m.all = nil
}

// sealed makes data of size bytes, at least headSize, that says whose it is and has a checksum.
func sealed(rng *rand.Rand, id uint64, size int) []byte {
	p := make([]byte, size+8)
	for i := headSize; i < size; i += 8 {
		binary.NativeEndian.PutUint64(p[i:], rng.Uint64())
	}
	p = p[:size]
	binary.NativeEndian.PutUint64(p, id)
	binary.NativeEndian.PutUint32(p[8:], uint32(size))
	binary.NativeEndian.PutUint32(p[12:], crc32.ChecksumIEEE(p[headSize:]))
	return p
}

// opened returns whose data it is, or an error if it is not as it was made.
func opened(p []byte) (id uint64, err error) {
	if len(p) < headSize {
		return 0, fmt.Errorf("%d bytes came; a message has at least %d", len(p), headSize)
	}
	id = binary.NativeEndian.Uint64(p)
	if size := binary.NativeEndian.Uint32(p[8:]); int(size) != len(p) {
		return id, fmt.Errorf("%d bytes came of the %d of request %d", len(p), size, id)
	}
	if crc32.ChecksumIEEE(p[headSize:]) != binary.NativeEndian.Uint32(p[12:]) {
		return id, fmt.Errorf("the checksum of the data of request %d is wrong", id)
	}
	return id, nil
}
