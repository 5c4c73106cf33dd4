package dpath

// Why unsafe: requests and their elements are typed views of bytes outside Go's heap, where C finds them. What keeps it
// sound: the bytes stay until Close, both types hold no pointers to Go memory, and the sizes are computed once, here.
// A way to place Go types in foreign memory would replace it.

import (
	"fmt"
	"math"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gate"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// SendBatch is an array of send requests outside Go's heap, linked in order. Make it with NewSendBatch.
type SendBatch struct {
	buf   *mem.Buffer
	wrs   []SendWR
	gate  gate.Gate // of the memory: posts use no other field that Close changes
	count int       // of requests
}

// NewSendBatch makes a batch of wrs requests, at least 1, with room for sgesPerWR scatter/gather elements in each, from
// 0 to MostSGEs. The options are those of the memory (mem.HugePages, mem.Populate). The caller calls Close. Other numbers
// are EINVAL; errors are those of mem.New otherwise.
func NewSendBatch(wrs, sgesPerWR int, opts ...mem.Option) (*SendBatch, error) {
	buf, err := newArena("ibv_post_send", wrs, unsafe.Sizeof(SendWR{}), sgesPerWR, opts)
	if err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(buf.Bytes()))
	b := &SendBatch{buf: buf, wrs: unsafe.Slice((*SendWR)(base), wrs), count: wrs}
	b.gate.Open(base)
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

// WR gives request i, counted from 0. Until its first use it is a SEND without data. It may not be used after Close.
func (b *SendBatch) WR(i int) *SendWR { return &b.wrs[i] }

// Len gives the number of requests, 0 after Close.
func (b *SendBatch) Len() int { return len(b.wrs) }

// Close frees the requests, after a post of them that is being made. A second Close is os.ErrClosed.
func (b *SendBatch) Close() error {
	return b.gate.End("ibv_post_send", "the batch", func() error { b.wrs = nil; return b.buf.Close() })
}

// RecvBatch is an array of receive requests outside Go's heap, linked in order. Make it with NewRecvBatch.
type RecvBatch struct {
	buf   *mem.Buffer
	wrs   []RecvWR
	gate  gate.Gate // of the memory: posts use no other field that Close changes
	count int       // of requests
}

// NewRecvBatch makes a batch of receive requests; arguments and errors are those of NewSendBatch.
func NewRecvBatch(wrs, sgesPerWR int, opts ...mem.Option) (*RecvBatch, error) {
	buf, err := newArena("ibv_post_recv", wrs, unsafe.Sizeof(RecvWR{}), sgesPerWR, opts)
	if err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(buf.Bytes()))
	b := &RecvBatch{buf: buf, wrs: unsafe.Slice((*RecvWR)(base), wrs), count: wrs}
	b.gate.Open(base)
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

// WR gives request i, counted from 0. Until its first use it is a receive without memory. It may not be used after Close.
func (b *RecvBatch) WR(i int) *RecvWR { return &b.wrs[i] }

// Len gives the number of requests, 0 after Close.
func (b *RecvBatch) Len() int { return len(b.wrs) }

// Close frees the requests, after a post of them that is being made. A second Close is os.ErrClosed.
func (b *RecvBatch) Close() error {
	return b.gate.End("ibv_post_recv", "the batch", func() error { b.wrs = nil; return b.buf.Close() })
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

// elements gives the elements from number i on, which begin at offset off.
func elements(base unsafe.Pointer, off uintptr, i int) *[MostSGEs]SGE {
	return (*[MostSGEs]SGE)(unsafe.Add(base, off+uintptr(i)*unsafe.Sizeof(SGE{})))
}
