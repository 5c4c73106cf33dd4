//go:build linux

// Command gpumemory moves data between two dma-bufs, as a program does between the memory of GPUs: by an RDMA WRITE from one to the other,
// or through memory of the host where the device takes no dma-bufs.
//
//	gpumemory                                    on a device made of software, with memfds in place of dma-bufs
//	gpumemory -device mlx5_0                     on a real one, with dma-bufs of /dev/udmabuf
//	gpumemory -device mlx5_0 -memory memfd       on the emulated card of conformance/card
//
// A program with a GPU has the descriptor from its driver: docs/guide/gpu-memory.md says by which call. The rest is as here. A software
// device does not look at what the descriptor is: it maps a memfd, which no real device takes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

const (
	message = "from one GPU to another"
	// offset is where the data begins in a dma-buf, and iova the address that requests have for it: at the same offset within a page.
	offset = 4096 + 64
	iova   = 1<<20 + 64
)

func main() { start.Main("gpumemory", run) }

// run is the command.
func run(ctx context.Context, w, stderr io.Writer, args []string) error {
	f := start.Flags("gpumemory", stderr)
	device := start.Device(f)
	memory := f.String("memory", "", "udmabuf or memfd; without it, memfd on a software device, udmabuf on a real one")
	if err := start.Parse(f, args); err != nil {
		return err
	}
	export := udmabuf
	if *device == "" || *memory == "memfd" {
		export = memfd
	}
	return start.On(*device, func(dev *verbs.Device) error { return move(ctx, w, dev, export) })
}

// move moves the message from one exported memory to another.
func move(ctx context.Context, w io.Writer, dev *verbs.Device, export func(int) (*exported, error)) (err error) {
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	config := endpoint.Config{Sends: 1, SendSize: len(message), Access: verbs.MRAccessRemoteWrite}
	left, right, err := endpoint.Pair(ctx, dev, config, config, connect.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(left.Close(), right.Close(), err) }()
	from, err := export(2 * offset)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := export(2 * offset)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	copy(from.bytes[offset:], message)
	way := "RDMA WRITE"
	err = direct(ctx, left, right, from, to)
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Fprintln(w, err)
		way, err = "WRITE between copies in host memory", staged(ctx, left, right, from, to)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%q is in the other %s, by %s\n", to.bytes[offset:offset+len(message)], to.kind, way)
	return nil
}

// direct writes from one dma-buf to the other.
func direct(ctx context.Context, left, right *endpoint.Endpoint, from, to *exported) error {
	src, err := left.PD.RegDMABufMR(from.part(), iova, verbs.DMABufAccessLocalWrite)
	if err != nil {
		return err
	}
	dst, err := right.PD.RegDMABufMR(to.part(), iova, verbs.DMABufAccessLocalWrite|verbs.DMABufAccessRemoteWrite)
	if err != nil {
		return errors.Join(err, src.Close())
	}
	return errors.Join(write(ctx, left, src, dst), src.Close(), dst.Close())
}

// staged copies to the registered memory of one end, writes from there to that of the other end, and copies from there.
func staged(ctx context.Context, left, right *endpoint.Endpoint, from, to *exported) error {
	copy(left.Mem, from.bytes[offset:][:len(message)])
	if err := write(ctx, left, left.MR, right.MR); err != nil {
		return err
	}
	copy(to.bytes[offset:], right.Mem[:len(message)])
	return nil
}

// write writes the message at the begin of one region to another.
func write(ctx context.Context, by *endpoint.Endpoint, src, dst *verbs.MR) error {
	slot, err := by.Slot(ctx)
	if err != nil {
		return err
	}
	defer slot.Free()
	part, err := src.SGE(0, uint64(len(message)))
	if err != nil {
		return err
	}
	slot.Write(0, dst.IOVA(), dst.RKey()).Add(part)
	_, err = slot.Do(ctx)
	return err
}
