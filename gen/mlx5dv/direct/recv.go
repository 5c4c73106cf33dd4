//go:build linux && (amd64 || arm64)

package direct

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// noKey is the key of the element that ends the list of a receive with room for more.
const noKey = 0x100

// recvs is a receive queue.
type recvs struct {
	use
	buf   unsafe.Pointer
	shift uint32 // of an entry
	mask  uint32 // of entries
	room  uint32 // elements of an entry
	sges  int    // that a receive may have, -1 in RESET
	most  int    // of sges
	post  uint32 // receives posted, counted without end
	free  uint32 // of which these are known to be done
	ids   []uint64
	rec   *uint32

	_    [64]byte
	tail uint32 // receives that are done; written by polls
}

// receives begins a call that posts receives of a batch.
func (u *use) receives(r dpath.RecvRange) ([]dpath.RecvRequest, syscall.Errno) {
	wrs, errno := dpath.RecvRequests(r)
	if errno == 0 {
		errno = u.enter()
	}
	return wrs, errno
}

// postRange posts receives of a batch, up to the first that the queue does not take.
func (q *recvs) postRange(r dpath.RecvRange) (posted int, errno syscall.Errno) {
	wrs, errno := q.receives(r)
	if errno != 0 {
		return -1, errno
	}
	for posted < len(wrs) && errno == 0 {
		if n := q.putEasy(wrs[posted:]); n > 0 {
			posted += n
		} else if errno = q.put(wrs[posted].ID, wrs[posted].SGEs()); errno == 0 {
			posted++
		}
	}
	if posted > 0 {
		q.ring()
	}
	q.leave()
	return posted, errno
}

func (q *recvs) ring() {
	handOver(unsafe.Pointer(q))
	record(q.rec, be32(q.post&0xffff))
}

// putEasy writes receives with one element, which most have. It returns how many, up to the first that put is to look at.
func (q *recvs) putEasy(wrs []dpath.RecvRequest) (n int) {
	post, buf, shift, mask, ids, room := q.post, q.buf, q.shift, q.mask, q.ids, q.room
	most := min(len(wrs), int(mask+1-(post-q.free)))
	if q.sges < 1 {
		return 0
	}
	for n < most {
		w := &wrs[n]
		s, i := w.One(), post&mask
		if s == nil || s.Length == 0 || uint(i) >= uint(len(ids)) {
			break
		}
		scatterOne(unsafe.Add(buf, i<<shift), room, element(s.Length, s.LKey), be64(s.Addr))
		ids[i] = w.ID
		post++
		n++
	}
	q.post = post
	return n
}

// Recv posts a receive of one element: length bytes at addr, registered under lkey; with length 0 it has no memory. id is the ID of its
// completion. Recv returns ErrQueueFull if the queue is full. PostRecv of the verbs.QP posts several receives, and those of more elements.
//
// C: ibv_post_recv, ibv_post_recv(3).
func (o *QP) Recv(id, addr uint64, length, lkey uint32) error {
	if o == nil {
		return errRecv.Nil()
	}
	q := &o.rq
	if q.ids == nil {
		return errRecv.Errno(fail.ErrnoNeverOpened)
	}
	if errno := q.enter(); errno != 0 {
		return errRecv.Errno(errno)
	}
	var errno syscall.Errno
	if i := q.post & q.mask; q.sges < 1 || q.post-q.free > q.mask || length == 0 || uint(i) >= uint(len(q.ids)) {
		errno = q.put(id, []verbs.SGE{{Addr: addr, Length: length, LKey: lkey}})
	} else {
		scatterOne(unsafe.Add(q.buf, i<<q.shift), q.room, element(length, lkey), be64(addr))
		q.ids[i] = id
		q.post++
	}
	if errno == 0 {
		q.ring()
	}
	q.leave()
	switch errno {
	case 0:
		return nil
	case syscall.ENOMEM:
		return errRecv.Full(errno)
	case syscall.EINVAL:
		return fail.Invalid(errRecv.Verb, "the queue pair is in RESET, or was made without receives or for receives without elements")
	}
	return errRecv.Errno(errno)
}

var errRecv = fail.Once{Verb: "ibv_post_recv", Kind: "direct.QP"}

func (q *recvs) put(id uint64, sges []verbs.SGE) syscall.Errno {
	if q.post-q.free > q.mask {
		q.free = atomic.LoadUint32(&q.tail)
		if q.post-q.free > q.mask {
			return syscall.ENOMEM
		}
	}
	if len(sges) > q.sges {
		return syscall.EINVAL
	}
	i := q.post & q.mask
	scatter(unsafe.Add(q.buf, i<<q.shift), q.room, sges, true)
	q.ids[i] = id
	q.post++
	return 0
}

// scatter writes the elements of a receive at the beginning of a list with room for more; skip leaves out those of length 0.
func scatter(list unsafe.Pointer, room uint32, sges []verbs.SGE, skip bool) {
	n := uint32(0)
	for i := range sges {
		s := &sges[i]
		if s.Length == 0 && skip {
			continue
		}
		e := (*[2]uint64)(unsafe.Add(list, n*segment))
		e[0], e[1] = element(s.Length, s.LKey), be64(s.Addr)
		n++
	}
	if n < room {
		e := (*[2]uint64)(unsafe.Add(list, n*segment))
		e[0], e[1] = element(0, noKey), 0
	}
}

// scatterOne is scatter of one element: its first half, and its address.
func scatterOne(list unsafe.Pointer, room uint32, first, addr uint64) {
	e := (*[4]uint64)(list)
	if e[0], e[1] = first, addr; room > 1 {
		e[2], e[3] = element(0, noKey), 0
	}
}

// gather copies data that the device wrote to the completion to the memory that the elements of a list name. It is false when they
// have no room for it.
func gather(next func() *[2]uint64, room uint32, data []byte) bool {
	for ; room > 0 && len(data) > 0; room-- {
		e := next()
		n := min(len(data), int(be32(uint32(e[0]))&^inlineData))
		if to := pointer(be64(e[1])); to != nil { // a region without memory
			copy(unsafe.Slice((*byte)(to), n), data)
		}
		data = data[n:]
	}
	return len(data) == 0
}

// shared is a shared receive queue: a list of entries, each of which names the next one.
type shared struct {
	use
	buf   unsafe.Pointer
	shift uint32
	room  uint32 // elements of an entry
	sges  uint32
	head  uint32 // first free entry
	count uint32 // receives posted, counted without end
	ids   []uint64
	rec   *uint32

	_    [64]byte
	back use    // of the end of the list, by polls of several completion queues
	tail uint32 // last free entry, which stays free
}

// next is where an entry names the next one, in network order.
func (q *shared) next(i uint32) *uint16 { return (*uint16)(unsafe.Add(q.buf, i<<q.shift+2)) }

func (q *shared) postRange(r dpath.RecvRange) (posted int, errno syscall.Errno) {
	wrs, errno := q.receives(r)
	if errno != 0 {
		return -1, errno
	}
	for posted < len(wrs) && errno == 0 {
		if errno = q.put(wrs[posted].ID, wrs[posted].SGEs()); errno == 0 {
			posted++
		}
	}
	if posted > 0 {
		q.ring()
	}
	q.leave()
	return posted, errno
}

func (q *shared) ring() {
	handOver(unsafe.Pointer(q))
	record(q.rec, be32(q.count&0xffff))
}

func (q *shared) put(id uint64, sges []verbs.SGE) syscall.Errno {
	if uint32(len(sges)) > q.sges {
		return syscall.EINVAL
	}
	if q.head == atomic.LoadUint32(&q.tail) {
		return syscall.ENOMEM
	}
	q.ids[q.head] = id
	scatter(unsafe.Add(q.buf, q.head<<q.shift+segment), q.room, sges, false)
	q.head = uint32(be16(*q.next(q.head)))
	q.count++
	return 0
}

// release puts an entry whose receive is done at the end of the list.
func (q *shared) release(i uint32) {
	for q.back.lock() != 0 { // nobody holds it for long
	}
	tail := atomic.LoadUint32(&q.tail)
	*q.next(tail) = be16(uint16(i))
	publish(&q.tail, i)
	q.back.leave()
}
