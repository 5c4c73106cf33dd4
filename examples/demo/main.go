// Command demo allocates device memory, copies to and from it, registers it and lets a peer read it, on a device made
// of software. With -device it uses a real one, without the peer.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func main() {
	device := flag.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
	flag.Parse()
	if err := run(os.Stdout, *device); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run opens the device and goes through the demo.
func run(w io.Writer, device string) (err error) {
	var (
		lib  *verbs.Lib
		peer *softverbs.Peer
	)
	if device == "" {
		soft := softverbs.New(softverbs.Name("soft0"))
		defer soft.Close()
		device, peer = "soft0", soft.Peer()
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
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "opened %s: max_dm_size %d bytes\n", device, attr.MaxDMSize)
	return useDM(w, dev, peer)
}

// useDM is the way of the bytes: into device memory, back, and out to a peer.
func useDM(w io.Writer, dev *verbs.Device, peer *softverbs.Peer) error {
	const size = 4096
	dm, err := dev.AllocDM(verbs.NewAllocDMAttr(size).LogAlignReq(6)) // 2^6: at 64 bytes
	if err != nil {
		return err
	}
	out := bytes.Repeat([]byte("device memory, "), size/15+1)[:size]
	if _, err := dm.WriteAt(out, 0); err != nil {
		return err
	}
	back := make([]byte, size)
	if _, err := dm.ReadAt(back, 0); err != nil {
		return err
	}
	if !bytes.Equal(out, back) {
		return errors.New("what was read back differs")
	}
	fmt.Fprintf(w, "allocated %d bytes, aligned to 64; wrote and read them back (mode %s)\n", size, dm.Mode())

	pd, err := dev.AllocPD()
	if err != nil {
		return err
	}
	mr, err := pd.RegDMMR(dm, 0, size, verbs.DMAccessZeroBased|verbs.DMAccessRemoteRead)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "registered them zero-based: lkey 0x%x, rkey 0x%x\n", mr.LKey(), mr.RKey())
	if peer != nil {
		got := make([]byte, 64)
		status, err := peer.Read(mr.RKey(), 128, got)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "a peer read 64 bytes at offset 128: status %v, bytes equal: %t\n", status, bytes.Equal(got, out[128:192]))
	}

	//verbsgen:ignore VR-ibv_reg_mr-access-0001 to show the error
	_, err = pd.RegMR(back, verbs.MRAccessRemoteWrite)
	fmt.Fprintln(w, "refused:", err)
	//verbsgen:ignore VR-ibv_reg_dm_mr-access-0002 to show the error
	_, err = pd.RegDMMR(dm, 0, size, verbs.DMAccessLocalWrite)
	fmt.Fprintln(w, "refused:", err)
	fmt.Fprintln(w, "too early:", dm.Close())
	return nil
}
