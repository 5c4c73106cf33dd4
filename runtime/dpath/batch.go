package dpath

// Why unsafe: requests and their elements are typed views of bytes outside Go's heap, where C finds them. What keeps it
// sound: the bytes stay until Close, both types hold no pointers to Go memory, and the sizes are computed once, here.
// A way to place Go types in foreign memory would replace it.

import (
	"fmt"
	"math"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// SendBatch is an array of send requests outside Go's heap, linked in order. NewSendBatch makes one.
type SendBatch struct {
	buf *mem.Buffer
	wrs []SendWR
}

// NewSendBatch makes a batch of wrs requests, at least 1, each with room for sgesPerWR scatter/gather elements, 0 to
// MostSGEs. The options are those of the memory (mem.HugePages, mem.Populate). The caller calls Close. Other numbers
// are EINVAL; all other errors are those of mem.New.
func NewSendBatch(wrs, sgesPerWR int, opts ...mem.Option) (*SendBatch, error) {
	buf, err := newArena("ibv_post_send", wrs, unsafe.Sizeof(SendWR{}), sgesPerWR, opts)
	if err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(buf.Bytes()))
	b := &SendBatch{buf: buf, wrs: unsafe.Slice((*SendWR)(base), wrs)}
	for i := range b.wrs {
		w := &b.wrs[i]
		w.room, w.opcode = uint32(sgesPerWR), opSend
		w.sges = elements(base, uintptr(wrs)*unsafe.Sizeof(*w), i*sgesPerWR)
		if i > 0 {
			b.wrs[i-1].next = uintptr(unsafe.Pointer(w))
		}
	}
	return b, nil
}

// WR returns request i, counted from 0. Before its first use it is a SEND without data. It must not be used after
// Close.
func (b *SendBatch) WR(i int) *SendWR { return &b.wrs[i] }

// Len returns the number of requests, 0 after Close.
func (b *SendBatch) Len() int { return len(b.wrs) }

// Close frees the requests. A second Close is os.ErrClosed.
func (b *SendBatch) Close() error {
	b.wrs = nil
	return closeArena("ibv_post_send", b.buf)
}

// RecvBatch is an array of receive requests outside Go's heap, linked in order. NewRecvBatch makes one.
type RecvBatch struct {
	buf *mem.Buffer
	wrs []RecvWR
}

// NewRecvBatch makes a batch of receive requests. Arguments and errors are those of NewSendBatch.
func NewRecvBatch(wrs, sgesPerWR int, opts ...mem.Option) (*RecvBatch, error) {
	buf, err := newArena("ibv_post_recv", wrs, unsafe.Sizeof(RecvWR{}), sgesPerWR, opts)
	if err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(buf.Bytes()))
	b := &RecvBatch{buf: buf, wrs: unsafe.Slice((*RecvWR)(base), wrs)}
	for i := range b.wrs {
		w := &b.wrs[i]
		w.room = uint32(sgesPerWR)
		w.sges = elements(base, uintptr(wrs)*unsafe.Sizeof(*w), i*sgesPerWR)
		if i > 0 {
			b.wrs[i-1].next = uintptr(unsafe.Pointer(w))
		}
	}
	return b, nil
}

// WR returns request i, counted from 0. Before its first use it is a receive without memory. It must not be used after
// Close.
func (b *RecvBatch) WR(i int) *RecvWR { return &b.wrs[i] }

// Len returns the number of requests, 0 after Close.
func (b *RecvBatch) Len() int { return len(b.wrs) }

// Close frees the requests. A second Close is os.ErrClosed.
func (b *RecvBatch) Close() error {
	b.wrs = nil
	return closeArena("ibv_post_recv", b.buf)
}

// newArena maps the requests, and behind them the elements of all of them.
func newArena(verb string, wrs int, size uintptr, sges int, opts []mem.Option) (*mem.Buffer, error) {
	if wrs < 1 || wrs > math.MaxInt32 || sges < 0 || sges > MostSGEs {
		return nil, &verr.Error{Verb: verb, Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("a batch of %d requests with %d elements each: it takes at least 1 request, and 0 to %d elements",
				wrs, sges, MostSGEs)}
	}
	each := uint64(size) + uint64(sges)*uint64(unsafe.Sizeof(SGE{}))
	return mem.New(uint64(wrs)*each, opts...)
}

// elements returns the elements from number i on, which begin at offset off.
func elements(base unsafe.Pointer, off uintptr, i int) *[MostSGEs]SGE {
	return (*[MostSGEs]SGE)(unsafe.Add(base, off+uintptr(i)*unsafe.Sizeof(SGE{})))
}

func closeArena(verb string, buf *mem.Buffer) error {
	if buf == nil || buf.Addr() == 0 {
		return verr.Closed(verb, "the batch")
	}
	return buf.Close()
}
