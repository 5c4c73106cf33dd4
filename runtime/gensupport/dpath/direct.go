package dpath

// Why unsafe: requests of a batch are looked at as records of another Go type. What keeps it sound: the two types have the same fields in
// the same order, which layout_cgo.go compares, and the records are in the memory of the batch, which the caller keeps.

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Native is what is called in place of the library on a queue that belongs to Go: Send and Recv of a queue pair, Recv of a shared receive
// queue, and the rest of a completion queue. They return what PostSendRange, PostRecvRange, PollSpin and ReqNotify return.
type Native struct {
	Send   func(SendRange) (posted int, errno syscall.Errno)
	Recv   func(RecvRange) (posted int, errno syscall.Errno)
	Poll   func(most int) (wcs []WC, errno syscall.Errno) // in memory of the queue, until Polled, which follows if there is no errno
	Polled func()
	Notify func(solicitedOnly bool) syscall.Errno
	Event  func() // an event of the completion queue was taken
}

// Take has calls of the data path on a queue go to Go from now on. It is called once for a queue.
func Take(queue *gate.Gate, n *Native) {
	queue.Native = unsafe.Pointer(n)
	queue.Lack(gate.Direct)
	if n.Event != nil {
		events.Store(uintptr(queue.Object()), n)
		watching.Store(true)
	}
}

// Taken reports whether Take was called for a queue.
func Taken(queue *gate.Gate) bool { return queue.Lacks()&gate.Direct != 0 }

// Untake forgets a completion queue that is about to end.
func Untake(queue *gate.Gate) { events.Delete(uintptr(queue.Object())) }

// events has the completion queues of Go by the address of the C object.
var (
	events   sync.Map // uintptr -> *Native
	watching atomic.Bool
)

// took is called for each event that was taken.
func took(cq uintptr) {
	if !watching.Load() {
		return
	}
	if n, ok := events.Load(cq); ok {
		n.(*Native).Event()
	}
}

func native(queue *gate.Gate) *Native { return (*Native)(queue.Native) }

// postNative is post for a queue that belongs to Go.
func postNative[W record](to int, queue *gate.Gate, b *requests[W], first, n int) (bad int, errno syscall.Errno) {
	if inlines.Load() != 0 {
		if bad, _ := gone(b, first, n); bad >= 0 {
			return bad, syscall.EFAULT
		}
	}
	switch b := any(b).(type) {
	case *requests[sendRecord]:
		bad, errno = native(queue).Send(SendRange{b, first, n})
	case *requests[recvRecord]:
		bad, errno = native(queue).Recv(RecvRange{b, first, n})
	default:
		return -1, fail.ErrnoDirect
	}
	if errno == 0 || bad < 0 {
		return -1, errno
	}
	return first + bad, errno
}

// SendRequest is a request of a SendBatch, for a package that writes it to the queue of a device.
type SendRequest struct {
	ID     uint64
	_      uintptr
	sges   uintptr
	num    int32
	Opcode WROpcode
	Flags  SendFlags
	Imm    [4]byte // in network order; of operations that invalidate a key, in that of the processor
	Remote uint64

	// RKey is the remote key of a READ or a WRITE, and the number of the queue pair where a datagram goes; Other is its qkey. The first
	// operand of an atomic, what it compares with or adds, is Compare.
	RKey, Other uint32

	Swap   uint64
	Key    uint32 // the remote key of an atomic
	_      uint32
	SRQN   uint32 // of the peer, on a queue pair for XRC
	_      uint32
	entry  uintptr
	serial uint64
	_      [7]uint32
	room   uint32
}

// Compare returns the first operand of an atomic.
func (r *SendRequest) Compare() uint64 { return uint64(r.RKey) | uint64(r.Other)<<32 }

// To returns the address of a datagram: the generated handle of its address handle and the number that no other has, and the number and
// the qkey of the queue pair there. The errno is that of a request whose address cannot be used.
func (r *SendRequest) To() (owner any, serial uint64, qpn, qkey uint32, errno syscall.Errno) {
	if r.entry == 0 || r.entry == rawAddress || r.serial>>32 == windowMark {
		return nil, 0, 0, 0, fail.ErrnoNoAddress
	}
	e := *(**entry)(unsafe.Pointer(&r.entry))
	of := e.of.Load()
	if of == nil || e.serial.Load() != r.serial {
		return nil, 0, 0, 0, fail.ErrnoAddressClosed
	}
	return of.Owner, r.serial, r.RKey, r.Other, 0
}

// SGEs returns the elements of the request.
func (r *SendRequest) SGEs() []SGE {
	return elements(unsafe.Pointer(r), r.sges, r.num, r.room)
}

// One returns the element of a request that has one, otherwise nil.
func (r *SendRequest) One() *SGE {
	if r.num != 1 || r.room == 0 {
		return nil
	}
	return element(unsafe.Pointer(r), r.sges, 0)
}

// RecvRequest is SendRequest for a RecvBatch.
type RecvRequest struct {
	ID   uint64
	_    uintptr
	sges uintptr
	num  int32
	room uint32
}

// SGEs returns the elements of the request.
func (r *RecvRequest) SGEs() []SGE {
	return elements(unsafe.Pointer(r), r.sges, r.num, r.room)
}

// One returns the element of a request that has one, otherwise nil.
func (r *RecvRequest) One() *SGE {
	if r.num != 1 || r.room == 0 {
		return nil
	}
	return element(unsafe.Pointer(r), r.sges, 0)
}

// SendRequests returns the requests of a range, or the errno of one that cannot be posted.
func SendRequests(r SendRange) ([]SendRequest, syscall.Errno) {
	wrs, errno := inRange(r.batch, r.first, r.n)
	return unsafe.Slice((*SendRequest)(unsafe.Pointer(unsafe.SliceData(wrs))), len(wrs)), errno
}

// RecvRequests is SendRequests for receives.
func RecvRequests(r RecvRange) ([]RecvRequest, syscall.Errno) {
	wrs, errno := inRange(r.batch, r.first, r.n)
	return unsafe.Slice((*RecvRequest)(unsafe.Pointer(unsafe.SliceData(wrs))), len(wrs)), errno
}

func inRange[W record](b *requests[W], first, n int) ([]W, syscall.Errno) {
	if b == nil {
		return nil, syscall.EINVAL
	}
	if !b.has(first, n) {
		return nil, b.errno(first, n)
	}
	if b.more != nil {
		return nil, fail.ErrnoBatchAdds
	}
	reading(b, first, n)
	return b.wrs[first : first+n], 0
}
