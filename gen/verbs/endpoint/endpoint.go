// Package endpoint creates one end of a connection: a queue pair and everything that the queue pair needs, opened and closed as one
// object.
//
//	e, err := endpoint.New(dev, endpoint.Config{Sends: 8, SendSize: 4096})
//	defer e.Close()
//	peer, err := e.Connect(ctx, side, connect.Options{}) // side is a net.Conn
//	...
//	s, err := e.Slot(ctx)
//	defer s.Free()              // at once, or when the request has completed
//	n := copy(s.Bytes(), "hello")
//	s.Write(n, remote, rkey)
//	wc, err := s.Do(ctx)        // posts and waits
//
// An [Endpoint] owns a protection domain, a completion queue with its channel, a queue pair and registered memory, and closes them in the
// right order. A [Slot] is memory and room for one request to send. Connect uses package connect; Conn.NewEndpoint of package rdmacm/conn
// makes an endpoint that librdmacm connects.
//
// An endpoint ends when a request fails, or when the stream of Connect or the connection of rdma_cm ends. Every waiting call then returns
// the reason. If the peer's machine loses power or the cable is cut, neither the stream nor the connection ends: send an empty WRITE from
// time to time, as the example "Alive" does. The WRITE fails only if RCSetup.RetryCnt is 6 or less: on soft-RoCE, and on the default
// software device, a queue pair with 7 retries for ever. The peer's card answers even if the peer's process hangs, so only a message of
// your own protocol notices that.
//
// The endpoint starts a goroutine that takes completions when the first Slot is posted, or at once if there is a Config.Handle. The
// goroutine polls for 20 microseconds before it sleeps. Without slots and Handle, the program posts to QP and takes completions from CQ, at
// no added cost. Requests allocate nothing.
//
// The package does not look into messages.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Config describes an endpoint. With the zero value it has 16 slots without memory, and no receives.
//
// The program owns the objects in a Config, and closes them after the endpoint.
type Config struct {
	// Type is the type of the queue pair; 0 means RC.
	Type verbs.QPType
	// Sends is the number of slots, each with room for one request to send, up to 1<<20; 0 means 16.
	Sends int
	// SendSize is the size of a slot's memory in bytes, 0 to 1<<30.
	SendSize int
	// Recvs is the number of receives, 0 to 1<<20.
	Recvs int
	// RecvSize is the size of a receive's memory in bytes, 0 to 1<<30. A datagram needs verbs.GRHSize bytes more. Empty messages and the
	// immediate data of WRITEs need no memory.
	RecvSize int
	// Inline is the number of bytes that a request can send inline, 0 to 1<<16.
	Inline int
	// Access says what the peer may do with the memory; MRAccessLocalWrite is always set. Connect allows the same on the queue pair. For
	// regions of the program set RCSetup.AccessFlags too.
	Access verbs.MRAccess

	// PD is a protection domain of the program, and New then uses the device of PD; nil means a new domain on the device given to New.
	PD *verbs.PD
	// Channel is a completion channel of the program; nil means a new channel. Endpoints that share a channel need fewer file descriptors.
	Channel *verbs.CompChannel
	// RecvCQ is a completion queue for receives. The program takes its completions, for example of many endpoints in one loop. nil means
	// Endpoint.CQ.
	RecvCQ *verbs.CQ
	// SRQ is a shared receive queue of the program. An SRQ needs a RecvCQ with room for the completions of its receives, and Recvs must be 0.
	SRQ *verbs.SRQ

	// CreateQP makes the queue pair in e.PD; nil means PD.CreateQP. It may use an identifier of rdma_cm, and it may give the queue pair and
	// e.CQ to package direct, with direct.Shared if several goroutines post. Objects that it passes to e.Own are closed before the queue
	// pair. If it fails, it must close the queue pair.
	CreateQP func(e *Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error)
	// Handle is called with each completion except those of slots, one at a time and in order. A receive has its number, from 0, as ID.
	// Requests that the program posts to QP itself must have IDs from Recvs to 1<<32-1. Call wc.Err first. When the endpoint ends, posted
	// receives complete too, with WR_FLUSH_ERR, and only their IDs tell them from the program's requests.
	//
	// Handle runs on the goroutine that takes completions, so later ones wait until it returns. Use TrySlot, Slot.Post, Slot.PostFunc and
	// Slot.Free there: Slot, Do and Wait return an error rather than wait for a completion that this goroutine would take. Handle may call
	// Close, which then does not wait for Handle; Handle is not called again. Two endpoints' Handles must not close each other's endpoint at
	// the same time. If Handle ends its goroutine, the endpoint ends.
	//
	// Without Handle the program takes these completions from CQ. If it posts slots, the goroutine takes and drops them, and a slot cannot
	// be posted if Recvs is set without RecvCQ.
	Handle func(e *Endpoint, wc verbs.WC)
}

// Endpoint is one end of a connection. New makes one. All methods may be called from several goroutines.
type Endpoint struct {
	PD *verbs.PD // of QP and MR
	CQ *verbs.CQ // of requests to send, and of receives without Config.RecvCQ
	QP *verbs.QP // connected by Connect, or by the program
	MR *verbs.MR // of Mem; nil if there is none
	// Mem is the memory of the receives, RecvSize bytes each, followed by the memory of the slots. It stays readable after Close.
	Mem []byte
	// Recvs are the receives by number; nil if there are none. A program that posts many at once calls QP.PostRecvRange, and never Repost
	// at the same time.
	Recvs *verbs.RecvBatch

	c       Config
	slots   []slot
	free    chan *slot
	recv    sync.Mutex // held by Repost
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	serving atomic.Bool   // completions are taken
	calling atomic.Bool   // a function of the program runs
	caller  atomic.Uint64 // the goroutine that calls it

	closing sync.Mutex    // held by Close
	closer  atomic.Uint64 // the goroutine of that Close

	mu     sync.Mutex    // guards what follows
	owned  []io.Closer   // the latest is closed first
	closed bool          // and so are all of them
	err    error         // why it has ended
	done   chan struct{} // closed when it has
}

// The errors of endpoints.
var (
	// ErrFreed is the error of a slot that was freed already, or of the zero Slot.
	ErrFreed = errors.New("endpoint: the slot was freed, or is the zero value; Endpoint.Slot returns another one")

	errNever  = fmt.Errorf("endpoint: it is nil or was never made; New makes one: %w", os.ErrClosed)
	errInside = fmt.Errorf("endpoint: a function that the endpoint calls closes it while another Close runs: %w", syscall.EBUSY)
	errBlocks = fmt.Errorf("endpoint: Slot, Do and Wait would wait for ever in a function that the endpoint calls; use TrySlot, Post, "+
		"PostFunc and Free there: %w", syscall.EDEADLK)
	errLost = fmt.Errorf("endpoint: a posted slot would have completions of receives be lost; set Config.Handle, or Config.RecvCQ: %w",
		syscall.EINVAL)
	errNilCtx = fmt.Errorf("endpoint: the context is nil; pass context.Background for one without an end: %w", syscall.EINVAL)
	errLeft   = errors.New("a function of the program ended the goroutine of the endpoint (runtime.Goexit, t.FailNow)")
)

const (
	firstID    = 1 << 32 // of slots
	mostWRs    = 1 << 20
	mostSize   = 1 << 30
	mostInline = 1 << 16
)

// New creates an endpoint on a device. If New fails, it leaves nothing open. The caller calls Close.
func New(dev *verbs.Device, c Config) (e *Endpoint, err error) {
	if c.Type == 0 {
		c.Type = verbs.QPTypeRC
	}
	if c.Sends == 0 {
		c.Sends = 16
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	made := &Endpoint{c: c, done: make(chan struct{})}
	made.ctx, made.cancel = context.WithCancel(context.Background())
	ok := false
	defer func() { // also when CreateQP panics
		if !ok {
			err = errors.Join(err, unlessClosed(made.Close()))
		}
	}()
	if err := made.make(dev); err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	if c.Handle != nil {
		if err := made.serve(); err != nil {
			return nil, err
		}
	}
	ok = true
	return made, nil
}

func (c *Config) check() error {
	const refused = "endpoint: Config.%s: %w"
	within := func(n, most int) bool { return n >= 0 && n <= most }
	switch {
	case !within(c.Sends, mostWRs) || !within(c.Recvs, mostWRs):
		return fmt.Errorf(refused, "Sends and Recvs are 0 to 1<<20", syscall.EINVAL)
	case !within(c.SendSize, mostSize) || !within(c.RecvSize, mostSize):
		return fmt.Errorf(refused, "SendSize and RecvSize are 0 to 1<<30", syscall.EINVAL)
	case !within(c.Inline, mostInline):
		return fmt.Errorf(refused, "Inline is 0 to 1<<16", syscall.EINVAL)
	case c.SRQ != nil && c.Recvs > 0:
		return fmt.Errorf(refused, "SRQ is set, and Recvs; post receives to the shared queue", syscall.EINVAL)
	case c.SRQ != nil && c.RecvCQ == nil:
		return fmt.Errorf(refused, "SRQ needs a RecvCQ, with room for the receives of the shared queue", syscall.EINVAL)
	}
	return nil
}

// make makes the objects, each of which is owned at once.
func (e *Endpoint) make(dev *verbs.Device) (err error) {
	c := &e.c
	if e.PD = c.PD; e.PD != nil {
		dev = e.PD.Device()
	} else {
		if e.PD, err = dev.AllocPD(); err != nil {
			return err
		}
		e.owned = append(e.owned, e.PD)
	}
	if err := e.makeCQ(dev); err != nil {
		return err
	}
	if err := e.makeMemory(); err != nil {
		return err
	}
	attr := verbs.QPInitAttr{Type: c.Type, SendCQ: e.CQ, RecvCQ: e.CQ, SRQ: c.SRQ, MaxSendWR: uint32(c.Sends), MaxSendSGE: 1,
		MaxRecvWR: uint32(c.Recvs), MaxInlineData: uint32(c.Inline)}
	if c.RecvCQ != nil {
		attr.RecvCQ = c.RecvCQ
	}
	if c.Recvs > 0 {
		attr.MaxRecvSGE = 1
	}
	at := len(e.owned)
	if c.CreateQP != nil {
		e.QP, err = c.CreateQP(e, attr)
	} else {
		e.QP, err = e.PD.CreateQP(attr)
	}
	if err == nil && e.QP == nil {
		err = errors.New("Config.CreateQP returned no queue pair and no error")
	}
	if err != nil {
		return err
	}
	e.owned = slices.Insert(e.owned, at, io.Closer(e.QP)) // below what belongs to it
	return nil
}

// Own makes Close close these objects too, such as a region in PD: the latest first, and all of them before the objects that the endpoint
// has made. If the endpoint is closed already, Own closes them and returns os.ErrClosed.
func (e *Endpoint) Own(objects ...io.Closer) error {
	if e == nil || e.done == nil {
		return errNever
	}
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.owned = append(e.owned, objects...)
	}
	e.mu.Unlock()
	if !closed {
		return nil
	}
	err := os.ErrClosed
	for _, o := range objects {
		err = errors.Join(err, unlessClosed(o.Close()))
	}
	return err
}

func (e *Endpoint) makeCQ(dev *verbs.Device) (err error) {
	channel := e.c.Channel
	if channel == nil {
		if channel, err = dev.CreateCompChannel(); err != nil {
			return err
		}
		e.owned = append(e.owned, channel)
	}
	n := e.c.Sends
	if e.c.RecvCQ == nil {
		n += e.c.Recvs
	}
	if e.CQ, err = dev.CreateCQ(n, channel, 0); err != nil {
		return err
	}
	e.owned = append(e.owned, e.CQ)
	return nil
}

// makeMemory registers the memory, and divides it into receives and slots.
func (e *Endpoint) makeMemory() (err error) {
	c := &e.c
	recvs := c.Recvs * c.RecvSize
	if n := recvs + c.Sends*c.SendSize; n > 0 {
		e.Mem = make([]byte, n)
		if e.MR, err = e.PD.RegMR(e.Mem, c.Access|verbs.MRAccessLocalWrite); err != nil {
			return err
		}
		e.owned = append(e.owned, e.MR)
	}
	e.slots, e.free = make([]slot, c.Sends), make(chan *slot, c.Sends)
	for i := range e.slots {
		s := &e.slots[i]
		s.e, s.index, s.off, s.woken = e, i, uint64(recvs+i*c.SendSize), make(chan struct{}, 1)
		e.free <- s
	}
	if c.Recvs == 0 {
		return nil
	}
	if e.Recvs, err = verbs.NewRecvBatch(c.Recvs, 1); err != nil {
		return err
	}
	for i, w := range e.Recvs.All() {
		if w.Recv(uint64(i)); c.RecvSize > 0 {
			w.Add(e.MR.UncheckedSGE(uint64(i*c.RecvSize), uint32(c.RecvSize)))
		}
	}
	return nil
}

// Close ends the endpoint and closes what it owns. Calls that wait return os.ErrClosed. Close waits until Handle and functions passed to
// PostFunc have returned, unless one of them calls Close. A second Close returns os.ErrClosed.
//
// If Close cannot close a verbs object, for example because the program still has a region in PD, remove the cause (close the region) and
// call Close again: it closes what is still open. An object given to Own whose Close fails is not closed again: Close closes everything
// else, and returns the error of the object.
func (e *Endpoint) Close() error {
	if e == nil || e.done == nil {
		return errNever
	}
	e.end(os.ErrClosed)
	self, inside := goroutine(), e.inside()
	if !e.closing.TryLock() {
		if inside || e.closer.Load() == self {
			return errInside
		}
		e.closing.Lock()
	}
	defer e.closing.Unlock()
	e.closer.Store(self)
	defer e.closer.Store(0)
	e.cancel()
	var errs []error
	for again := false; ; again = true {
		n, last := e.last()
		switch {
		case n == 0 && !again:
			return os.ErrClosed
		case (n == 0 || last == io.Closer(e.CQ)) && !inside:
			e.running.Wait()
		}
		if n == 0 {
			return errors.Join(errs...)
		}
		if err := unlessClosed(last.Close()); err != nil {
			errs = append(errs, err)
			if refused := (*verr.Error)(nil); errors.As(err, &refused) || errors.Is(err, syscall.EBUSY) {
				return errors.Join(errs...) // other objects may need this one
			}
		}
		e.mu.Lock()
		e.owned = slices.Delete(e.owned, n-1, n)
		e.mu.Unlock()
	}
}

// last returns how many objects are owned, and the one to close next. Without any, the endpoint is closed.
func (e *Endpoint) last() (n int, last io.Closer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n = len(e.owned); n == 0 {
		e.closed = true
		return 0, nil
	}
	return n, e.owned[n-1]
}

// unlessClosed is an error other than that of something that is closed already.
func unlessClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
