//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// hasty is patience for a peer that will not answer.
var hasty = link.Patience{Timeout: 12, Retries: 2}

// slack is what a deadline is longer by than what the device is told: the machine is shared, and emulated.
const slack = 10 * time.Second

// wire is two soft-RoCE devices on the two ends of one pair of virtual networks, which a test may break.
type wire struct {
	devs  [2]*verbs.Device
	names [2]string // rxe0, rxe1
	nets  [2]string // v0, v1

	before string // while the network is down: its ways when it was whole
	routes string // file of its routes, as ip saves them
}

// openWire opens both devices. At the end of the test they are closed, they connect as before, and nothing is left.
func openWire(t *testing.T) *wire {
	t.Helper()
	real, first := library(t)
	if !strings.HasPrefix(first, "rxe") {
		t.Skipf("a test that breaks the network is for soft-RoCE; this is %s", first)
	}
	lib := must(verbs.LoadFrom(real))(t)
	w := &wire{}
	list := must(lib.Devices())(t)
	for _, d := range list {
		net := strings.TrimSpace(string(must(os.ReadFile(filepath.Join(d.IBDevPath, "ports/1/gid_attrs/ndevs/0")))(t)))
		switch {
		case w.names[0] == "":
			w.names[0], w.nets[0] = d.Name, net
		case w.names[1] == "" && twoEnds(t, w.nets[0], net):
			w.names[1], w.nets[1] = d.Name, net
		}
	}
	if w.names[1] == "" {
		lacking(t, "no two soft-RoCE devices on one pair of virtual networks, but %+v", list)
	}
	noLeak(t)
	w.connects(t, lib)
	t.Cleanup(func() { w.connects(t, lib) })
	w.devs = w.open(t, lib)
	t.Cleanup(func() { closeAll(t, w.devs) })
	return w
}

func (w *wire) open(t *testing.T, lib *verbs.Lib) (devs [2]*verbs.Device) {
	t.Helper()
	for i, name := range w.names {
		devs[i] = must(lib.OpenDevice(name))(t)
	}
	return devs
}

func closeAll(t *testing.T, devs [2]*verbs.Device) {
	t.Helper()
	for _, dev := range devs {
		if err := dev.CloseAll(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing: %v", err)
		}
	}
}

// twoEnds reports whether each of two networks says that the other is its other end.
func twoEnds(t *testing.T, a, b string) bool {
	t.Helper()
	read := func(net, file string) string {
		return strings.TrimSpace(string(must(os.ReadFile(filepath.Join("/sys/class/net", net, file)))(t)))
	}
	return a != b && read(a, "iflink") == read(b, "ifindex") && read(b, "iflink") == read(a, "ifindex")
}

// pair returns two connected queue pairs, one on each device.
func (w *wire) pair(t *testing.T, p link.Patience) (near, far *link.End) {
	t.Helper()
	near, far, err := link.PairWith(w.devs[0], w.devs[1], p)
	if err != nil {
		t.Fatal(err)
	}
	return near, far
}

// connects shows that the network is whole: queue pairs that are new, with all they need, move bytes both ways.
func (w *wire) connects(t *testing.T, lib *verbs.Lib) {
	t.Helper()
	devs := w.open(t, lib)
	defer closeAll(t, devs)
	near, far, err := link.Pair(devs[0], devs[1])
	if err != nil {
		t.Fatalf("a new pair: %v", err)
	}
	for i, way := range [2][2]*link.End{{near, far}, {far, near}} {
		binary.NativeEndian.PutUint64(way[0].Buf, 0xfeed0000+uint64(i))
		if err := write(t, way[0], memoryOf(way[1]), slack).Err(); err != nil {
			t.Errorf("a new pair: a WRITE from %s: %v", w.names[i], err)
		}
		if !bytes.Equal(way[1].Buf[:8], way[0].Buf[:8]) {
			t.Errorf("a new pair: %x arrived, not %x", way[1].Buf[:8], way[0].Buf[:8])
		}
	}
}

// closeEnd closes what a side is made of, in order.
func closeEnd(t *testing.T, e *link.End) {
	t.Helper()
	if err := errors.Join(e.QP.Close(), e.CQ.Close(), e.Ch.Close(), e.MR.Close(), e.PD.Close()); err != nil {
		t.Errorf("closing a side: %v", err)
	}
}

// place is memory of a peer.
type place struct {
	Addr uint64
	RKey uint32
}

func memoryOf(e *link.End) place { return place{uint64(e.MR.Addr()), e.MR.RKey()} }

// write writes the first 8 bytes of a side to its peer, and gives the completion.
func write(t *testing.T, e *link.End, to place, limit time.Duration) verbs.WC {
	t.Helper()
	wc, err := tryWrite(e, to, limit)
	if err != nil {
		t.Fatal(err)
	}
	return wc
}

func tryWrite(e *link.End, to place, limit time.Duration) (verbs.WC, error) {
	b, err := verbs.NewSendBatch(1, 1)
	if err != nil {
		return verbs.WC{}, err
	}
	defer b.Close()
	b.WR(0).Write(1, to.Addr, to.RKey).Add(e.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	if _, err := e.QP.PostSend(b, 1); err != nil {
		return verbs.WC{}, err
	}
	return e.WaitFor(limit)
}

// ends wants the error of a completion, with one of some statuses.
func ends(t *testing.T, what string, wc verbs.WC, want ...verbs.WCStatus) {
	t.Helper()
	var e *verbs.WCError
	if err := wc.Err(); !errors.As(err, &e) || !slices.Contains(want, e.Status) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// run runs a program of the system to its end.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return runWith(t, os.DevNull, name, args...)
}

// runWith does the same with a file as input.
func runWith(t *testing.T, file, name string, args ...string) string {
	t.Helper()
	in := must(os.Open(file))(t)
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // also in Cleanup, where t.Context has ended
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return out.String()
}

// until waits for something to become true.
func until(t *testing.T, what string, limit time.Duration, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !yes(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", limit, what)
		}
	}
}
