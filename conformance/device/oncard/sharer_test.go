//go:build linux && cgo

package oncard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// sharedSize is the length of regions in these tests, more than one exchange of src/wire/segment.h has room for.
const sharedSize, half = 100_000, sharedSize / 2

// The descriptors of a sharer beside those of every process.
const (
	socketFD = iota + 3 // by which it sends and receives the command descriptor
	memoryFD            // of the memory that all can map
)

const sharedAccess = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic

// order is what a sharer is to do, reply what came of it.
type (
	order struct {
		Do       string
		N, M, At uint64
		GID      verbs.GID
	}
	reply struct {
		Errno syscall.Errno
		Err   string
		N, At uint64
		Key   uint32
		GID   verbs.GID
		Bytes []byte
	}
)

// sharing is what a sharer has.
type sharing struct {
	lib    *verbs.Lib
	dev    *verbs.Device
	pd     *verbs.PD
	mr     *verbs.MR
	dm     *verbs.DM
	cq     *verbs.CQ
	qp     *verbs.QP
	buf    []byte
	cfg    link.Config
	socket int
}

// share is the child of the tests here: it does what it is told, one order after the other.
func share(t *testing.T) {
	s := &sharing{lib: must(verbs.Load())(t), cfg: link.Default(), socket: socketFD}
	s.cfg.Patience = link.Patience{Timeout: 10, Retries: 3}
	for in := json.NewDecoder(os.Stdin); ; {
		var o order
		if err := in.Decode(&o); err != nil {
			return
		}
		a, err := s.do(o)
		if err != nil {
			a.Err = err.Error()
			errors.As(err, &a.Errno)
		}
		fmt.Printf("\x01%s\n", must(json.Marshal(a))(t))
	}
}

func (s *sharing) do(o order) (a reply, err error) {
	switch o.Do {
	case "open":
		s.dev, err = s.lib.OpenDevice(card.Devices[0])
	case "send":
		// Where the kernel lets only parents look into a process, it has to allow the others.
		_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
		err = syscall.Sendmsg(s.socket, []byte{0}, syscall.UnixRights(s.dev.CmdFD()), nil, 0)
	case "import device":
		return a, s.importDevice()
	case "alloc pd":
		s.pd, err = s.dev.AllocPD()
		a.N = uint64(s.pd.Handle())
	case "import pd":
		pd, err := s.dev.ImportPD(uint32(o.N))
		if err == nil {
			s.pd = pd
		}
		return a, err
	case "own memory":
		s.buf = make([]byte, sharedSize)
	case "map memory":
		s.buf, err = syscall.Mmap(memoryFD, 0, sharedSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	case "unmap memory":
		err = syscall.Munmap(s.buf)
	case "look":
		a.Bytes = s.buf[o.At : o.At+o.N]
	case "fill":
		copy(s.buf[o.At:o.At+o.N], slices.Repeat([]byte{byte(o.M)}, int(o.N)))
	case "reg mr":
		if s.mr, err = s.pd.RegMR(s.buf, sharedAccess); err == nil {
			a = s.region()
		}
	case "import mr":
		mr, err := s.pd.ImportMR(uint32(o.N))
		if err != nil {
			return a, err
		}
		s.mr = mr
		return s.region(), mr.Locate(o.At, sharedSize)
	case "change mr":
		err = s.mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccess(o.N)))
	case "alloc dm":
		s.dm, err = s.dev.AllocDM(verbs.NewAllocDMAttr(o.N))
		a.N = uint64(s.dm.Handle())
	case "unimport dm":
		err = s.dm.Unimport()
	case "import dm":
		s.dm, err = s.dev.ImportDM(uint32(o.N), 0)
	case "write dm":
		_, err = s.dm.WriteAt(bytes.Repeat([]byte{byte(o.M)}, int(o.N)), int64(o.At))
	case "read dm":
		a.Bytes = make([]byte, o.N)
		_, err = s.dm.ReadAt(a.Bytes, int64(o.At))
	default:
		return s.more(o)
	}
	return a, err
}

// more does the orders about queue pairs, and those that end something.
func (s *sharing) more(o order) (a reply, err error) {
	switch o.Do {
	case "make qp":
		return s.makeQP()
	case "connect":
		way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: o.GID, HopLimit: 64}
		return a, errors.Join(s.qp.Modify(s.cfg.RTR(way, verbs.MTU1024, uint32(o.N))), s.qp.Modify(s.cfg.RTS()))
	case "write", "read", "add":
		return s.post(o)
	case "churn":
		for ; o.N > 0 && err == nil; o.N-- {
			err = s.churn()
		}
	case "close qp":
		err = errors.Join(s.qp.Close(), s.cq.Close())
	case "close mr":
		err = s.mr.Close()
	case "unimport mr":
		err = s.mr.Unimport()
	case "destroy mr":
		err = s.mr.Destroy()
	case "unimport pd":
		err = s.pd.Unimport()
	case "destroy pd":
		err = s.pd.Destroy()
	case "leave": // the kernel keeps what others use
		for _, end := range []func() error{s.mr.Unimport, s.pd.Unimport, s.dev.CloseAll} {
			err = errors.Join(err, end())
		}
	case "close device":
		err = s.dev.CloseAll()
	default:
		err = errors.New("no such order: " + o.Do)
	}
	return a, err
}

func (s *sharing) region() reply {
	return reply{N: uint64(s.mr.Handle()), Key: s.mr.RKey(), At: s.mr.IOVA()}
}

// importDevice imports the device of the descriptor that comes by the socket.
func (s *sharing) importDevice() error {
	oob := make([]byte, 64)
	_, n, _, _, err := syscall.Recvmsg(s.socket, make([]byte, 1), oob, syscall.MSG_CMSG_CLOEXEC)
	if err != nil {
		return err
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return err
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	s.dev, err = s.lib.ImportDevice(fds[0])
	return errors.Join(err, syscall.Close(fds[0]))
}

func (s *sharing) makeQP() (a reply, err error) {
	if s.cq, err = s.dev.CreateCQ(16, nil, 0); err != nil {
		return a, err
	}
	s.qp, err = s.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1,
		MaxRecvSGE: 1})
	if err != nil {
		return a, err
	}
	a.N = uint64(s.qp.Num())
	if a.GID, err = s.dev.QueryGID(1, 0); err != nil {
		return a, err
	}
	return a, s.qp.Modify(s.cfg.Init(1))
}

// churn makes and closes a domain, a region, a completion queue and a queue pair.
func (s *sharing) churn() error {
	own := *s
	var err1, err2 error
	if own.pd, err1 = s.dev.AllocPD(); err1 != nil {
		return err1
	}
	own.mr, err1 = own.pd.RegMR(s.buf, sharedAccess)
	if _, err2 = own.makeQP(); errors.Join(err1, err2) != nil {
		return errors.Join(err1, err2)
	}
	return errors.Join(own.qp.Close(), own.cq.Close(), own.mr.Close(), own.pd.Close())
}

// post has the queue pair carry out one request, whose local end is the region at offset At, and answers the status.
func (s *sharing) post(o order) (a reply, err error) {
	batch, err := verbs.NewSendBatch(1, 1)
	if err != nil {
		return a, err
	}
	defer batch.Close()
	key, addr := uint32(o.N), o.M
	switch w := batch.WR(0); o.Do {
	case "write":
		w.Write(1, addr, key).Add(s.mr.UncheckedSGE(o.At, half)).Flags(verbs.SendSignaled)
	case "read":
		w.Read(1, addr, key).Add(s.mr.UncheckedSGE(o.At, half)).Flags(verbs.SendSignaled)
	default:
		w.FetchAdd(1, addr, key, 5).Add(s.mr.UncheckedSGE(o.At, 8)).Flags(verbs.SendSignaled)
	}
	if _, err := s.qp.PostSend(batch, 1); err != nil {
		return a, err
	}
	var wcs [1]verbs.WC
	for round := 0; ; round++ {
		if n, err := s.cq.PollSpin(wcs[:], far.NextRound(round)); n == 1 || err != nil {
			return reply{N: uint64(wcs[0].Status)}, err
		}
	}
}

// sharer is the process of a test that shares objects with others.
type sharer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

// sharers starts n processes. All can map one piece of memory, and the first can send the others its descriptor.
func sharers(t *testing.T, n int) (all []*sharer) {
	t.Helper()
	memory := must(os.CreateTemp(t.TempDir(), "memory"))(t)
	must(0, memory.Truncate(sharedSize))(t)
	ends := must(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0))(t)
	first, others := os.NewFile(uintptr(ends[0]), "socket"), os.NewFile(uintptr(ends[1]), "socket")
	for i := range n {
		end := others
		if i == 0 {
			end = first
		}
		cmd, in, out := childWith(t, "share", []*os.File{end, memory})
		all = append(all, &sharer{t, cmd, in, out})
	}
	must(0, errors.Join(memory.Close(), first.Close(), others.Close()))(t)
	return all
}

// ask gives an order.
func (s *sharer) ask(o order) (a reply) {
	s.t.Helper()
	s.tell(o)
	return s.answer()
}

// tell gives an order and does not wait for its answer.
func (s *sharer) tell(o order) { _ = json.NewEncoder(s.in).Encode(o) }

func (s *sharer) answer() (a reply) {
	s.t.Helper()
	must(0, json.Unmarshal([]byte(line(s.t, s.out)), &a))(s.t)
	return a
}

// do gives an order that must succeed.
func (s *sharer) do(o order) reply {
	s.t.Helper()
	a := s.ask(o)
	if a.Err != "" {
		s.t.Fatalf("%s: %s", o.Do, a.Err)
	}
	return a
}

// refused gives an order that must fail so.
func (s *sharer) refused(o order, want syscall.Errno) {
	s.t.Helper()
	if a := s.ask(o); a.Errno != want {
		s.t.Errorf("%s: %q, errno %v; want %v", o.Do, a.Err, a.Errno, want)
	}
}

// status gives an order for a request, which must end so.
func (s *sharer) status(o order, want verbs.WCStatus) {
	s.t.Helper()
	if a := s.do(o); verbs.WCStatus(a.N) != want {
		s.t.Errorf("%s: %v, want %v", o.Do, verbs.WCStatus(a.N), want)
	}
}

// holds asks for bytes of a sharer's memory that must all be one.
func (s *sharer) holds(at, n uint64, want byte) {
	s.t.Helper()
	if a := s.do(order{Do: "look", At: at, N: n}); len(a.Bytes) == 0 || bytes.Count(a.Bytes, []byte{want}) != len(a.Bytes) {
		s.t.Errorf("memory from %d on begins with %v, want %d bytes of %d", at, a.Bytes[:min(8, len(a.Bytes))], n, want)
	}
}
