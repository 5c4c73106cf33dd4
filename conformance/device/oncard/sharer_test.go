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
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// sharedSize is the length of regions in these tests, more than one exchange of src/wire/segment.h has room for.
const sharedSize, half = 100_000, sharedSize / 2

// The descriptors of a sharer beside those of every process.
const (
	socketFD = iota + 3 // by which it sends and receives the command descriptor
	memoryFD            // of the memory that all can map
)

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
	link.End
	lib *verbs.Lib
	dev *verbs.Device
	dm  *verbs.DM
	cfg link.Config
}

// share is the child of the tests here: it does what it is told, one order after the other.
func share(t *testing.T) {
	s := &sharing{lib: must(verbs.Load())(t), cfg: link.Default()}
	s.cfg.Patience = link.Patience{Timeout: 10, Retries: 3}
	for in := json.NewDecoder(os.Stdin); ; {
		var o order
		if err := in.Decode(&o); err != nil {
			return
		}
		a, err := reply{}, errors.New("no such order: "+o.Do)
		if do := orders[o.Do]; do != nil {
			a, err = do(s, t, o)
		}
		if err != nil {
			a.Err = err.Error()
			errors.As(err, &a.Errno)
		}
		fmt.Printf("\x01%s\n", must(json.Marshal(a))(t))
	}
}

// plain is an order whose reply is only an error.
func plain(do func(s *sharing, o order) error) func(*sharing, *testing.T, order) (reply, error) {
	return func(s *sharing, _ *testing.T, o order) (reply, error) { return reply{}, do(s, o) }
}

// orders are what a sharer can do.
var orders = map[string]func(s *sharing, t *testing.T, o order) (reply, error){
	"open": plain(func(s *sharing, _ order) (err error) {
		s.dev, err = s.lib.OpenDevice(card.Devices[0])
		return err
	}),
	"send": plain(func(s *sharing, _ order) error {
		// Where the kernel lets only parents look into a process, it has to allow the others.
		_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
		return syscall.Sendmsg(socketFD, []byte{0}, syscall.UnixRights(s.dev.CmdFD()), nil, 0)
	}),
	"import device": plain(func(s *sharing, _ order) error { return s.importDevice() }),
	"alloc pd": func(s *sharing, _ *testing.T, _ order) (a reply, err error) {
		s.PD, err = s.dev.AllocPD()
		return reply{N: uint64(s.PD.Handle())}, err
	},
	"import pd": plain(func(s *sharing, o order) error {
		pd, err := s.dev.ImportPD(uint32(o.N))
		if err == nil {
			s.PD = pd
		}
		return err
	}),
	"own memory": plain(func(s *sharing, _ order) error { s.Buf = make([]byte, sharedSize); return nil }),
	"map memory": plain(func(s *sharing, _ order) (err error) {
		s.Buf, err = syscall.Mmap(memoryFD, 0, sharedSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		return err
	}),
	"unmap memory": plain(func(s *sharing, _ order) error { return syscall.Munmap(s.Buf) }),
	"look": func(s *sharing, _ *testing.T, o order) (reply, error) {
		return reply{Bytes: s.Buf[o.At : o.At+o.N]}, nil
	},
	"fill": plain(func(s *sharing, o order) error {
		copy(s.Buf[o.At:o.At+o.N], slices.Repeat([]byte{byte(o.M)}, int(o.N)))
		return nil
	}),
	"reg mr": func(s *sharing, t *testing.T, _ order) (reply, error) {
		s.MR = must(s.PD.RegMR(s.Buf, link.Default().MR))(t)
		return s.region(), nil
	},
	"import mr": func(s *sharing, _ *testing.T, o order) (a reply, err error) {
		mr, err := s.PD.ImportMR(uint32(o.N))
		if err != nil {
			return a, err
		}
		s.MR = mr
		return s.region(), mr.Locate(o.At, sharedSize)
	},
	"change mr": plain(func(s *sharing, o order) error { return s.MR.Rereg(new(verbs.MRChange).Access(verbs.MRAccess(o.N))) }),
	"alloc dm": func(s *sharing, _ *testing.T, o order) (a reply, err error) {
		s.dm, err = s.dev.AllocDM(verbs.NewAllocDMAttr(o.N))
		return reply{N: uint64(s.dm.Handle())}, err
	},
	"unimport dm": plain(func(s *sharing, _ order) error { return s.dm.Unimport() }),
	"import dm": plain(func(s *sharing, o order) (err error) {
		s.dm, err = s.dev.ImportDM(uint32(o.N), 0)
		return err
	}),
	"write dm": plain(func(s *sharing, o order) error {
		return errorOf(s.dm.WriteAt(bytes.Repeat([]byte{byte(o.M)}, int(o.N)), int64(o.At)))
	}),
	"read dm": func(s *sharing, _ *testing.T, o order) (reply, error) {
		b := make([]byte, o.N)
		return reply{Bytes: b}, errorOf(s.dm.ReadAt(b, int64(o.At)))
	},
	"make qp": func(s *sharing, _ *testing.T, _ order) (reply, error) { return s.makeQP() },
	"connect": plain(func(s *sharing, o order) error {
		way := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: o.GID, HopLimit: 64}
		return errors.Join(s.QP.Modify(s.cfg.RTR(way, verbs.MTU1024, uint32(o.N))), s.QP.Modify(s.cfg.RTS()))
	}),
	"write": (*sharing).post, "read": (*sharing).post, "add": (*sharing).post,
	"churn": plain(func(s *sharing, o order) (err error) {
		for ; o.N > 0 && err == nil; o.N-- {
			err = s.churn()
		}
		return err
	}),
	"close qp":    plain(func(s *sharing, _ order) error { return errors.Join(s.QP.Close(), s.CQ.Close()) }),
	"close mr":    plain(func(s *sharing, _ order) error { return s.MR.Close() }),
	"unimport mr": plain(func(s *sharing, _ order) error { return s.MR.Unimport() }),
	"destroy mr":  plain(func(s *sharing, _ order) error { return s.MR.Destroy() }),
	"unimport pd": plain(func(s *sharing, _ order) error { return s.PD.Unimport() }),
	"destroy pd":  plain(func(s *sharing, _ order) error { return s.PD.Destroy() }),
	"leave": plain(func(s *sharing, _ order) error { // the kernel keeps what others use
		err := errors.Join(s.MR.Unimport(), s.PD.Unimport())
		return errors.Join(err, s.dev.CloseAll())
	}),
	"close device": plain(func(s *sharing, _ order) error { return s.dev.CloseAll() }),
}

func (s *sharing) region() reply {
	return reply{N: uint64(s.MR.Handle()), Key: s.MR.RKey(), At: s.MR.IOVA()}
}

// importDevice imports the device of the descriptor that comes by the socket.
func (s *sharing) importDevice() error {
	oob := make([]byte, 64)
	_, n, _, _, err := syscall.Recvmsg(socketFD, make([]byte, 1), oob, syscall.MSG_CMSG_CLOEXEC)
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
	if s.CQ, err = s.dev.CreateCQ(16, nil, 0); err != nil {
		return a, err
	}
	s.QP, err = s.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: s.CQ, RecvCQ: s.CQ, MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1,
		MaxRecvSGE: 1})
	if err != nil {
		return a, err
	}
	a.N = uint64(s.QP.Num())
	if a.GID, err = s.dev.QueryGID(1, 0); err != nil {
		return a, err
	}
	return a, s.QP.Modify(s.cfg.Init(1))
}

// churn makes and closes a domain, a region, a completion queue and a queue pair.
func (s *sharing) churn() error {
	own := *s
	var err1, err2 error
	if own.PD, err1 = s.dev.AllocPD(); err1 != nil {
		return err1
	}
	own.MR, err1 = own.PD.RegMR(s.Buf, link.Default().MR)
	if _, err2 = own.makeQP(); errors.Join(err1, err2) != nil {
		return errors.Join(err1, err2)
	}
	return errors.Join(own.QP.Close(), own.CQ.Close(), own.MR.Close(), own.PD.Close())
}

// post has the queue pair carry out one request, whose local end is the region at offset At, and answers the status.
func (s *sharing) post(t *testing.T, o order) (reply, error) {
	key, addr := uint32(o.N), o.M
	wc := s.Do(t, func(w verbs.SendWR) {
		switch o.Do {
		case "write":
			w.Write(1, addr, key).Add(s.MR.UncheckedSGE(o.At, half))
		case "read":
			w.Read(1, addr, key).Add(s.MR.UncheckedSGE(o.At, half))
		default:
			w.FetchAdd(1, addr, key, 5).Add(s.MR.UncheckedSGE(o.At, 8))
		}
	})
	return reply{N: uint64(wc.Status)}, nil
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
