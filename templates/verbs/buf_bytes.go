//go:build ignore

//verbsgen:with Buf
//verbsgen:field Buf mem cmem.Foreign

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/object"

// Bytes returns all of the memory; nil after Close. Do not use the slice after Close: its memory is gone, and
// an access ends the program. WriteAt and ReadAt return an error instead.
//
// C: struct ibv_buf, ibv_alloc_buf(3).
func (buffer *Buf) Bytes() []byte { return object.OrZero(buffer).mem.Bytes() }

// Addr returns the address of the first byte, 0 after Close.
//
// C: struct ibv_buf, ibv_alloc_buf(3).
func (buffer *Buf) Addr() uintptr { return object.OrZero(buffer).mem.Addr() }

// Len returns the length in bytes.
//
// C: struct ibv_buf, ibv_alloc_buf(3).
func (buffer *Buf) Len() uint64 { return object.OrZero(buffer).mem.Len() }

// WriteAt copies p to offset off of the memory, like io.WriterAt: all of it, or none and an error. A range
// beyond the end returns syscall.EFAULT. Close waits for a copy; a later copy returns os.ErrClosed.
//
// C: struct ibv_buf, ibv_alloc_buf(3).
func (buffer *Buf) WriteAt(p []byte, off int64) (int, error) {
	return object.OrZero(buffer).mem.WriteAt(p, off)
}

// ReadAt copies from offset off of the memory to p, like io.ReaderAt but never short and never io.EOF. Its
// errors are those of WriteAt.
//
// C: struct ibv_buf, ibv_alloc_buf(3).
func (buffer *Buf) ReadAt(p []byte, off int64) (int, error) {
	return object.OrZero(buffer).mem.ReadAt(p, off)
}
