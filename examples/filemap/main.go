// Command filemap serves a file: the server maps it into memory and registers the mapping, and a client gets it by READ. The server
// copies nothing and runs nothing for the client. Both ends are on one device here.
//
//	filemap                       a file of some pages, on a device made of software
//	filemap -device mlx5_0 FILE   any file, on a real device
//
// The mapping is read-only, so the region must be without LOCAL_WRITE: REMOTE_READ is all that a READ needs. What was seen:
//
//   - Read-only memory of no file, MAP_PRIVATE as here, is registered without LOCAL_WRITE: by the software device and by soft-RoCE of the
//     kernels of docs/conformance-matrix.md (CF-mr-0103).
//   - A read-only shared mapping of a file is refused with LOCAL_WRITE (EFAULT), by the software device and by soft-RoCE of Linux 6.1; so
//     are pages of a shared mapping behind the end of its file. docs/errors.md has the texts.
//   - Nothing is recorded of a read-only shared mapping of a file without LOCAL_WRITE, nor of a shared mapping of a file on a disk that a
//     device may write; this program needs neither. Nor is it known what a client reads while somebody writes to the file: serve files
//     that nobody changes or truncates.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

const part = 64 << 10 // bytes of one READ

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	if err := run(os.Stdout, *device, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "filemap:", err)
		os.Exit(1)
	}
}

// run opens the device, a software device if the name is empty, and closes it at the end with all that was made from it.
func run(w io.Writer, device, name string) (err error) {
	var lib *verbs.Lib
	if device == "" {
		device = "soft0"
		soft := softverbs.New(softverbs.Name(device))
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	file, err := mapped(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Munmap(file)) }() // after the region is closed
	dev, err := lib.OpenDevice(device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	near, far := net.Pipe()
	served := make(chan error)
	go func() { served <- serve(ctx, w, dev, far, file) }()
	return errors.Join(get(ctx, w, dev, near), <-served)
}

// mapped maps a file read-only; without a name, one that it makes.
func mapped(name string) ([]byte, error) {
	if name == "" {
		f, err := os.CreateTemp("", "filemap")
		if err != nil {
			return nil, err
		}
		defer os.Remove(f.Name())
		for i := range 100_000 {
			fmt.Fprintln(f, "line", i)
		}
		if name, err = f.Name(), f.Close(); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
}

// newQP makes a queue pair for one request at a time.
func newQP(dev *verbs.Device) (*verbs.PD, *verbs.CQ, *verbs.QP, error) {
	pd, pdErr := dev.AllocPD()
	ch, chErr := dev.CreateCompChannel()
	cq, cqErr := dev.CreateCQ(1, ch, 0)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1})
	return pd, cq, qp, errors.Join(pdErr, chErr, cqErr, err)
}

// serve registers the mapping, tells the client where it is, and keeps it until the client closes conn.
func serve(ctx context.Context, w io.Writer, dev *verbs.Device, conn net.Conn, file []byte) error {
	defer conn.Close()
	pd, _, qp, err := newQP(dev)
	if err != nil {
		return err
	}
	_, err = pd.RegMR(file, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteRead)
	fmt.Fprintln(w, "with LOCAL_WRITE the mapping is refused:", errors.Is(err, syscall.EFAULT))
	mr, err := pd.RegMR(file, verbs.MRAccessRemoteRead)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "server: %d bytes, SHA-256 %x\n", len(file), sha256.Sum256(file))
	setup := connect.Usual()
	setup.AccessFlags = verbs.QPAccessRemoteRead
	place := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, mr.IOVA()), mr.Length())
	if _, err := connect.RC(ctx, conn, qp, connect.Options{Setup: &setup, Data: binary.BigEndian.AppendUint32(place, mr.RKey())}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}

// get reads the file of the server part by part.
func get(ctx context.Context, w io.Writer, dev *verbs.Device, conn net.Conn) error {
	defer conn.Close()
	pd, cq, qp, err := newQP(dev)
	if err != nil {
		return err
	}
	room, hash := make([]byte, part), sha256.New()
	mr, mrErr := pd.RegMR(room, verbs.MRAccessLocalWrite) // the device writes here what it reads there
	sends, err := verbs.NewSendBatch(1, 1)
	if err := errors.Join(mrErr, err); err != nil {
		return err
	}
	defer sends.Close()
	peer, err := connect.RC(ctx, conn, qp, connect.Options{})
	if err != nil {
		return err
	}
	if len(peer.Data) != 20 {
		return fmt.Errorf("the server sent %d bytes, not the address, the length and the key of the file", len(peer.Data))
	}
	addr, size, rkey := binary.BigEndian.Uint64(peer.Data), binary.BigEndian.Uint64(peer.Data[8:]), binary.BigEndian.Uint32(peer.Data[16:])
	reads, wcs := 0, make([]verbs.WC, 1)
	for at := uint64(0); at < size; at += part {
		to, err := mr.SGE(0, min(part, size-at))
		if err != nil {
			return err
		}
		sends.WR(0).Read(at, addr+at, rkey).Add(to).Flags(verbs.SendSignaled)
		if _, err := qp.PostSend(sends, 1); err != nil {
			return err
		}
		if _, err := cq.Wait(ctx, wcs); err != nil {
			return err
		}
		if err := wcs[0].Err(); err != nil {
			return err
		}
		hash.Write(room[:to.Length])
		reads++
	}
	fmt.Fprintf(w, "client: %d bytes by %d READs, SHA-256 %x\n", size, reads, hash.Sum(nil))
	return nil
}
