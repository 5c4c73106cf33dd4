package dpath

// Why unsafe: requests, their elements and their inline data are typed views of one piece of memory, where C finds them by
// addresses that they hold as numbers. What keeps it sound: the piece is one object of Go's heap, which does not move, and a
// pointer to any request keeps all of it; so a request can be used as long as somebody has it, whatever became of its batch.
// Nothing in it is a pointer to Go. Sizes are computed once, here. A way to lay out memory for C would replace it.

import (
	"fmt"
	"math"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// record is a request in the memory of a batch, with the layout of C: of a send queue, of any queue of receives, or of a list of tags.
type record interface {
	SendRequest | RecvRequest | opsRecord
}

// SendBatch is an array of send requests, linked in order. NewSendBatch makes one.
type SendBatch struct{ all requests[SendRequest] }

// RecvBatch is an array of receive requests, linked in order. NewRecvBatch makes one.
type RecvBatch struct{ all requests[RecvRequest] }

// requests is what batches have in common. It is not Batch[W] with SendBatch as Batch[SendWR]: a method WR of a generic type is not
// inlined, which makes the building of requests half as expensive again.
type requests[W record] struct {
	wrs []W  // set once
	use *use // set once, before the requests in their memory
	// what a view adds to them, or nil
	more *commands
}

func (b *SendBatch) requests() *requests[SendRequest] {
	if b == nil {
		return nil
	}
	return &b.all
}

func (b *RecvBatch) requests() *requests[RecvRequest] {
	if b == nil {
		return nil
	}
	return &b.all
}

// WR returns request i, counted from 0. Before its first use it is a SEND without data. It panics when there is no such request, as
// a slice does, and when the batch is nil, closed, or being posted, which only another goroutine can see.
func (b *SendBatch) WR(i int) SendWR {
	if b != nil && b.all.use != nil {
		if b.all.use.free() { // not behind &&: the compiler would make a bool of all three, and test that
			return SendWR{&b.all.wrs[i]}
		}
	}
	b.panics()
	return SendWR{} // not reached
}

// WR returns request i, counted from 0. Before its first use it is a receive without memory. It panics as SendBatch.WR does.
func (b *RecvBatch) WR(i int) RecvWR {
	if b != nil && b.all.use != nil {
		if b.all.use.free() { // not behind &&: the compiler would make a bool of all three, and test that
			return RecvWR{&b.all.wrs[i]}
		}
	}
	b.panics()
	return RecvWR{} // not reached
}

// Len returns the number of requests, 0 after Close.
func (b *SendBatch) Len() int { return b.requests().len() }

// Len returns the number of requests, 0 after Close.
func (b *RecvBatch) Len() int { return b.requests().len() }

// Close ends the use of the batch: a later post is an error, and taking a request or adding an element to one is a panic. A post that
// another goroutine is making goes on, and has its memory. A second Close is os.ErrClosed.
func (b *SendBatch) Close() error { return b.requests().close() }

// Close ends the use of the batch, as SendBatch.Close does.
func (b *RecvBatch) Close() error { return b.requests().close() }

// head is the beginning of struct ibv_send_wr, of struct ibv_recv_wr and of struct ibv_ops_wr.
type head struct {
	id   uint64 // wr_id
	next uintptr
}

func headOf[W record](w *W) *head { return (*head)(unsafe.Pointer(w)) }

// BatchOption is an option of NewSendBatch and NewRecvBatch.
type BatchOption func(*config)

type config struct{ inline int }

// InlineRoom reserves that many bytes in each request for inline data, see SendWR.InlineData. Receives do not use them.
func InlineRoom(bytes int) BatchOption { return func(c *config) { c.inline = bytes } }

// Limits that only a mistake exceeds. Without them it would use all memory of the machine.
const (
	mostInline = 1 << 16
	mostMemory = 1 << 30
)

// NewSendBatch makes a batch of wrs requests, at least 1, each with room for sgesPerWR scatter/gather elements, 0 to
// MostSGEs. Other numbers are EINVAL, and so is a batch of more than 1 GiB.
func NewSendBatch(wrs, sgesPerWR int, opts ...BatchOption) (*SendBatch, error) {
	b := new(SendBatch)
	err := b.all.make(wrs, sgesPerWR, opts, func(w *SendRequest, a arena, sges uintptr) {
		w.sges, w.room, w.inline, w.Opcode = sges, uint32(sgesPerWR), uint32(a.inline), opSend
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// NewRecvBatch makes a batch of receive requests. Arguments and errors are those of NewSendBatch.
func NewRecvBatch(wrs, sgesPerWR int, opts ...BatchOption) (*RecvBatch, error) {
	b := new(RecvBatch)
	err := b.all.make(wrs, sgesPerWR, opts, func(w *RecvRequest, _ arena, sges uintptr) {
		w.sges, w.room = sges, uint32(sgesPerWR)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (r *requests[W]) make(wrs, sgesPerWR int, opts []BatchOption, begin func(w *W, a arena, sges uintptr)) error {
	var w W
	verb, _ := r.names()
	a, err := newArena(verb, wrs, unsafe.Sizeof(w), sgesPerWR, opts)
	if err != nil {
		return err
	}
	r.wrs = unsafe.Slice((*W)(a.base), wrs)
	for i := range r.wrs {
		begin(&r.wrs[i], a, a.elements(i))
	}
	r.use = (*use)(unsafe.Add(a.base, -line))
	r.link()
	return nil
}

// names are the verb that posts the requests, and what errors call their batch.
func (r *requests[W]) names() (verb, what string) {
	switch any(r).(type) {
	case *requests[SendRequest]:
		return sendVerb, "SendBatch"
	case *requests[opsRecord]:
		return opsVerb, "OpsBatch"
	}
	return recvVerb, "RecvBatch"
}

// link makes one chain of all requests.
func (r *requests[W]) link() {
	for i := range r.wrs[1:] {
		headOf(&r.wrs[i]).next = uintptr(unsafe.Pointer(&r.wrs[i+1]))
	}
}

func (r *requests[W]) len() int {
	if r == nil || r.closed() {
		return 0
	}
	return len(r.wrs)
}

func (r *requests[W]) close() error {
	verb, what := r.names()
	if r == nil {
		return r.refused(0, 0, 0)
	}
	if err := r.end(verb, what); err != nil {
		return err
	}
	for i := range r.wrs {
		_, _, room := listOf(&r.wrs[i])
		atomic.StoreUint32(room, 0) // a post that was refused may look at it
	}
	return nil
}

// arena is the memory of a batch: a line for its use, the requests, and behind them, request by request, elements and inline data.
type arena struct {
	base   unsafe.Pointer // a multiple of line
	behind uintptr        // offset of what follows the requests
	each   uintptr        // bytes of it for each request
	inline uintptr        // of them for inline data, at the end
}

const line = 64 // bytes in a line of the processor's cache

var _ [line - unsafe.Sizeof(use{})]struct{} // it has room

func newArena(verb string, wrs int, size uintptr, sges int, opts []BatchOption) (arena, error) {
	var c config
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	if wrs < 1 || wrs > math.MaxInt32 || sges < 0 || sges > MostSGEs {
		return arena{}, &verr.Error{Verb: verb, Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("a batch of %d requests with %d elements each: it takes at least 1 request, and 0 to %d elements",
				wrs, sges, MostSGEs)}
	}
	if c.inline < 0 || c.inline > mostInline || c.inline > 0 && sges == 0 {
		return arena{}, &verr.Error{Verb: verb, Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("a batch with room for %d bytes of inline data and %d elements in a request: inline data takes 0 to %d bytes "+
				"and 1 element",
				c.inline, sges, mostInline)}
	}
	const unit = unsafe.Sizeof(SGE{})
	inline := (uintptr(c.inline) + unit - 1) &^ (unit - 1)
	a := arena{behind: uintptr(wrs) * size, each: uintptr(sges)*unit + inline, inline: inline}
	total := uint64(wrs) * uint64(size+a.each)
	if total > mostMemory {
		return arena{}, &verr.Error{Verb: verb, Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("a batch of %d requests takes %d bytes, more than 1 GiB; make it smaller and post it more often", wrs, total)}
	}
	words := make([]uint64, (total+2*line)/8) // a line more for use, and one so that even what is behind the last byte is within
	start := unsafe.Pointer(unsafe.SliceData(words))
	a.base = unsafe.Add(start, -uintptr(start)&(line-1)+line)
	return a, nil
}

// elements returns the address of the elements of request i.
func (a arena) elements(i int) uintptr { return uintptr(a.base) + a.behind + uintptr(i)*a.each }
