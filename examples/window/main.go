// Command window grants a peer the right to write to a part of a memory region, and takes it back, by memory windows of
// type 2. Both are work requests, much cheaper than registering memory: binding a window gives a new remote key (rkey), and
// invalidating it ends the key. Owner and peer are on one device here.
//
//	window                  on a device made of software
//	window -device mlx5_0   on a real one
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// The owner registers a page, and grants some bytes of it.
const (
	page  = 4096
	begin = 128
	size  = 64
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	if err := run(os.Stdout, *device); err != nil {
		fmt.Fprintln(os.Stderr, "window:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(w io.Writer, device string, opts ...softverbs.Option) (err error) {
	var lib *verbs.Lib
	if device == "" {
		device = "soft0"
		soft := softverbs.New(append(opts, softverbs.Name(device))...)
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	if err := inTime(w, dev); err != nil {
		return err
	}
	return outside(w, dev)
}

// inTime has the peer write while it may, and once more when it may no longer.
func inTime(w io.Writer, dev *verbs.Device) (err error) {
	s, err := newSides(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.grant(); err != nil {
		return err
	}
	fmt.Fprintf(w, "granted: bytes %d to %d of the region\n", begin, begin+size-1)
	if _, err := s.write(w, begin, "through the window"); err != nil {
		return err
	}
	if err := s.revoke(); err != nil {
		return err
	}
	fmt.Fprintln(w, "revoked")
	_, err = s.write(w, begin, "too late")
	return err
}

// outside has the peer write to bytes of the region that it was not granted. The connections are new, since a refused
// request ends a connection.
func outside(w io.Writer, dev *verbs.Device) (err error) {
	s, err := newSides(dev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.grant(); err != nil {
		return err
	}
	fmt.Fprintln(w, "granted again, over a new connection")
	status, err := s.write(w, begin+size, "beside the window")
	if err == nil && status == verbs.WCStatusSuccess {
		fmt.Fprintln(w, "this device compares addresses with the region, not with the window") // such as soft-RoCE of Linux 6.1
	}
	return err
}

// sides are the owner of the memory and its peer, and what the owner has for the window.
type sides struct {
	owner, peer *verbstest.End
	mem         []byte
	mr          *verbs.MR
	mw          *verbs.MW
	sends       *verbs.SendBatch
}

func newSides(dev *verbs.Device) (s *sides, err error) {
	s = &sides{mem: make([]byte, page)}
	if s.owner, s.peer, err = verbstest.Connect(dev, dev); err != nil {
		return nil, err
	}
	// The region itself allows no remote access. A window that grants writing needs a region with LOCAL_WRITE.
	if s.mr, err = s.owner.PD.RegMR(s.mem, verbs.MRAccessLocalWrite|verbs.MRAccessMWBind); err != nil {
		return nil, err
	}
	if s.mw, err = s.owner.PD.AllocMW(verbs.MWType2); err != nil {
		return nil, fmt.Errorf("this device may have no windows of type 2: %w", err)
	}
	s.sends, err = verbs.NewSendBatch(1, 1)
	return s, err
}

// close closes the window before the queue pair that it is bound to, then the rest.
func (s *sides) close() error {
	return errors.Join(s.mw.Close(), s.owner.Close(), s.peer.Close())
}

// grant binds the window. From then on mw.RKey is the key to give to the peer.
func (s *sides) grant() error {
	what := verbs.MWBindAttr{MR: s.mr, Addr: s.mr.IOVA() + begin, Length: size, Access: verbs.MWAccessRemoteWrite}
	if err := s.mw.Bind(s.sends.WR(0), verbs.NextRKey(s.mw.RKey()), what); err != nil {
		return err
	}
	wc, err := s.post(s.owner)
	if err != nil {
		return err
	}
	return wc.Err()
}

// revoke invalidates the key.
func (s *sides) revoke() error {
	s.sends.WR(0).LocalInv(0, s.mw.RKey())
	wc, err := s.post(s.owner)
	if err != nil {
		return err
	}
	return wc.Err()
}

// write has the peer write a text into the owner's memory by the window's key, and prints how that ended.
func (s *sides) write(w io.Writer, offset int, text string) (verbs.WCStatus, error) {
	from, err := s.peer.MR.SGE(0, uint64(copy(s.peer.Mem, text)))
	if err != nil {
		return 0, err
	}
	s.sends.WR(0).Write(0, s.mr.IOVA()+uint64(offset), s.mw.RKey()).Add(from)
	wc, err := s.post(s.peer)
	if err != nil {
		return 0, err
	}
	now := bytes.TrimRight(s.mem[offset:offset+size], "\x00")
	fmt.Fprintf(w, "the peer writes %q to byte %d: %v; the memory has %q\n", text, offset, wc.Status, now)
	return wc.Status, nil
}

// post posts the request and waits until it has completed. Its status says whether it succeeded.
func (s *sides) post(end *verbstest.End) (verbs.WC, error) {
	s.sends.WR(0).Flags(verbs.SendSignaled)
	if _, err := end.QP.PostSend(s.sends, 1); err != nil {
		return verbs.WC{}, err
	}
	wcs, err := verbstest.Wait(end.SendCQ, 1)
	if err != nil {
		return verbs.WC{}, err
	}
	return wcs[0], nil
}
