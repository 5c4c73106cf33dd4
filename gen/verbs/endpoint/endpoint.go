// Package endpoint has one end of a connection: a queue pair with everything that it needs, made and closed as one.
//
//	e, err := endpoint.New(dev, endpoint.Config{Sends: 8, SendSize: 4096})
//	defer e.Close()
//	peer, err := e.Connect(ctx, side, connect.Options{}) // side is a net.Conn
//	...
//	s, err := e.Slot(ctx)       // memory, and room for a request
//	defer s.Free()              // at once, or when the request has completed
//	n := copy(s.Bytes(), "hello")
//	s.Write(n, remote, rkey)
//	wc, err := s.Do(ctx)        // posts and waits
//
// An [Endpoint] owns a protection domain, a completion queue with its channel, a queue pair, registered memory, and the order in which
// they are closed. It connects by package connect; package rdmacm/conn makes one of an identifier (Conn.NewEndpoint). A [Slot] is for a
// request to send. An endpoint ends when its peer has died, and all that wait for it then return the reason.
//
// The goroutine that takes completions starts with the first slot that is posted, or at once if there is a Config.Handle. Without both,
// the package adds nothing to the way of a request: the program posts to QP and takes completions from CQ. Nothing is allocated for a
// request.
//
// The package is written by hand and belongs beside the generated one. It must not know what a message means.
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
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Config is how New makes an endpoint. The zero value has 16 requests to send at a time, without memory, and no receives.
//
// Objects in a Config stay the program's: it closes them after the endpoint.
type Config struct {
	// Type of the queue pair; 0 is RC.
	Type verbs.QPType
	// Sends is how many requests to send there may be at a time: as many as slots. 0 is 16; the most are 1<<20.
	Sends int
	// SendSize is how many bytes of memory a slot has, up to 1 GiB.
	SendSize int
	// Recvs is how many receives are posted at a time, up to 1<<20.
	Recvs int
	// RecvSize is how many bytes of memory a receive has, up to 1 GiB; a datagram needs verbs.GRHSize bytes more. Receives of messages
	// without bytes, and of the immediate data of WRITEs, need none.
	RecvSize int
	// Inline is how many bytes of inline data a request may have.
	Inline int
	// Access has the rights of the peer to the memory, besides MRAccessLocalWrite. Connect gives the queue pair the same.
	Access verbs.MRAccess
	// Probe is how often the endpoint WRITEs nothing to the peer, which fails if that has died; 0 is never. How long it takes to fail is up
	// to RCSetup.Timeout and RetryCnt: connect.DefaultSetup. Set it at both ends, as it needs a queue pair that peers may WRITE by.
	Probe time.Duration

	// PD is the protection domain, whose device the endpoint is of; nil is one of the endpoint.
	PD *verbs.PD
	// Channel is that of the completion queue; nil is one of the endpoint. Several endpoints may share one, which saves a descriptor each.
	Channel *verbs.CompChannel
	// CQ is the completion queue, if the program takes completions itself; nil is one of the endpoint. Slots are not posted then.
	CQ *verbs.CQ
	// RecvCQ is the completion queue of receives, which the program takes itself; nil is that of requests to send.
	RecvCQ *verbs.CQ
	// SRQ is the shared receive queue from which the queue pair takes receives. Recvs is 0 then.
	SRQ *verbs.SRQ

	// CreateQP makes the queue pair in e.PD in another way than PD.CreateQP: with an identifier of rdma_cm, or for package direct, which
	// may take it and e.CQ (with direct.Shared, if several goroutines post). Objects that it passes to e.Own are closed before the queue
	// pair. If it fails it leaves no queue pair behind.
	CreateQP func(e *Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error)
	// Handle is called with each completion that is not of a slot: of receives, whose ID is the number of the receive from 0, and of what
	// the program posts with IDs below 1<<32. One call follows the other, in the order of the completions, which wait until it returns.
	// It may call Close, which then does not wait for it. If it ends its goroutine, the endpoint ends. If Handle is nil, the program takes
	// these completions from CQ, or does without them once it has posted a slot.
	Handle func(e *Endpoint, wc verbs.WC)
}

// Endpoint is one end of a connection. New makes one. All methods may be called from several goroutines.
type Endpoint struct {
	PD *verbs.PD // of QP and MR
	CQ *verbs.CQ // of requests to send, and of receives without Config.RecvCQ
	QP *verbs.QP // connected by Connect, or by who made it
	MR *verbs.MR // of Mem; nil if there is none
	// Mem is the memory: first that of the receives, RecvSize bytes each, then that of the slots. It is Go's, so that it can be read after
	// Close.
	Mem []byte
	// Recvs has the receives, by their numbers; nil if there are none. Repost posts one of them. A program that posts many at once calls
	// QP.PostRecvRange, and no Repost at the same time.
	Recvs *verbs.RecvBatch

	c       Config
	slots   []slot
	free    chan *slot
	recv    sync.Mutex // held by Repost
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	serving atomic.Bool   // completions are taken
	stopped chan struct{} // closed when no more are

	closing sync.Mutex // held by Close

	mu      sync.Mutex  // guards what follows
	owned   []io.Closer // the latest is closed first
	closed  bool        // and so are all of them
	probing *time.Timer
	err     error         // why it has ended
	done    chan struct{} // closed when it has
}

// The errors of endpoints.
var (
	// ErrFreed is the error of a slot that was freed already, or of none.
	ErrFreed = errors.New("endpoint: the slot was freed, or is the zero value; Endpoint.Slot returns another one")

	errNever  = fmt.Errorf("endpoint: it is nil or was never made; New makes one: %w", os.ErrClosed)
	errInside = fmt.Errorf("endpoint: a function that the endpoint calls closes it while another Close runs: %w", syscall.EBUSY)
	errNilCtx = fmt.Errorf("endpoint: the context is nil; pass context.Background for one without an end: %w", syscall.EINVAL)
	errLeft   = errors.New("a function of the program ended the goroutine of the endpoint (runtime.Goexit, t.FailNow)")
)

const (
	firstID    = 1 << 32 // of slots
	mostWRs    = 1 << 20
	mostSize   = 1 << 30
	mostInline = 1 << 16
)

// New makes an endpoint of a device. If it fails nothing is left.
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
	made := &Endpoint{c: c, stopped: make(chan struct{}), done: make(chan struct{})}
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
	case c.CQ != nil && (c.Handle != nil || c.Probe > 0):
		return fmt.Errorf(refused, "CQ is the program's, which takes its completions; Handle and Probe need one of the endpoint", syscall.EINVAL)
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
	if e.CQ = c.CQ; e.CQ == nil {
		if err := e.makeCQ(dev); err != nil {
			return err
		}
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
	if c.Probe > 0 {
		attr.MaxSendWR++
	}
	at := len(e.owned)
	if c.CreateQP != nil {
		fail.Callback(func() { e.QP, err = c.CreateQP(e, attr) })
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

// Own has Close also close objects: a region in PD for example. The latest is closed first, and all before what the endpoint has made. If
// the endpoint is closed already, they are closed at once.
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
	if e.CQ, err = dev.CreateCQ(e.c.Sends+e.c.Recvs+1, channel, 0); err != nil { // and the probe
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
	e.slots, e.free = make([]slot, c.Sends+1), make(chan *slot, c.Sends) // the last one is the probe's
	for i := range e.slots {
		s := &e.slots[i]
		s.e, s.index, s.off, s.woken = e, i, uint64(recvs+i*c.SendSize), make(chan struct{}, 1)
		if i < c.Sends {
			e.free <- s
		}
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

// Close ends the endpoint, with os.ErrClosed for all that wait, and closes what it owns. It waits until no function of the program
// runs, unless it is called by one. A second Close returns os.ErrClosed. If it fails, as when something else uses the domain, it
// closes the rest when it is called again. After New has failed there is nothing to close.
func (e *Endpoint) Close() error {
	if e == nil || e.done == nil {
		return errNever
	}
	e.end(os.ErrClosed)
	if !e.closing.TryLock() {
		if fail.InCallback() {
			return errInside
		}
		e.closing.Lock()
	}
	defer e.closing.Unlock()
	e.cancel()
	for again := false; ; again = true {
		n, last := e.last()
		switch {
		case n == 0 && !again:
			return os.ErrClosed
		case (n == 0 || last == io.Closer(e.CQ)) && !fail.InCallback():
			e.running.Wait()
		}
		if n == 0 {
			return nil
		}
		if err := unlessClosed(last.Close()); err != nil {
			return err
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
