//go:build !amd64 && !arm64

package dmcopy

// Available is false where no assembly was written: all copies are those of Rest.
const Available = false

func WriteAt(s *Span, p []byte, off int64) (n int, err error)   { return writeSlow(s, p, off) }
func ReadAt(s *Span, p []byte, off int64) (n int, err error)    { return readSlow(s, p, off) }
func WriteWide(s *Span, p []byte, off int64) (n int, err error) { return writeWideSlow(s, p, off) }
func ReadWide(s *Span, p []byte, off int64) (n int, err error)  { return readWideSlow(s, p, off) }
func Put32(s *Span, off int64, v uint32) error                  { return put32Slow(s, off, v) }
func Put64(s *Span, off int64, v uint64) error                  { return put64Slow(s, off, v) }
func Get32(s *Span, off int64) (v uint32, err error)            { return get32Slow(s, off) }
func Get64(s *Span, off int64) (v uint64, err error)            { return get64Slow(s, off) }

// Flush has nothing to order.
func Flush() {}
