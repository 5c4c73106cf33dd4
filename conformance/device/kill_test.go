//go:build linux && cgo

package device

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// side is what one process tells the other of its queue pair and its memory.
type side struct {
	GID verbs.GID
	QPN uint32
	place
}

func sideOf(dev *verbs.Device, e *link.End) (side, error) {
	gid, err := dev.QueryGID(1, 0)
	return side{gid, e.QP.Num(), memoryOf(e)}, err
}

// writer is a process that counts in the memory of its peer, by RDMA WRITEs, until somebody ends it.
func writer() error {
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(os.Getenv(deviceVar))
	if err != nil {
		return err
	}
	e, err := link.NewEnd(dev)
	if err != nil {
		return err
	}
	self, err := sideOf(dev, e)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(self); err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	var peer side
	if err := json.NewDecoder(in).Decode(&peer); err != nil {
		return err
	}
	go func() { // a parent that ends closes the pipe
		io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	if err := e.Connect(peer.GID, 0, peer.QPN); err != nil {
		return err
	}
	for n := uint64(1); ; n++ {
		binary.NativeEndian.PutUint64(e.Buf, n)
		wc, err := tryWrite(e, peer.place, slack)
		if err := errors.Join(err, wc.Err()); err != nil {
			return fmt.Errorf("WRITE %d: %w", n, err)
		}
	}
}

// traffic is a connection with a writer, which counts at the end of the memory of this side.
type traffic struct {
	*link.End
	cmd  *exec.Cmd
	peer place
}

// startWriter starts a writer on the second device, connected with a queue pair of the first, and waits until it counts.
func (w *wire) startWriter(t *testing.T, p link.Patience) *traffic {
	t.Helper()
	near := must(link.NewEnd(w.devs[0]))(t)
	self := must(sideOf(w.devs[0], near))(t)
	self.Addr += link.Size / 2
	cmd := child(t, time.Minute, "writer", deviceVar+"="+w.names[1])
	in, out := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // most tests have ended it themselves
		cmd.Wait()
		if t.Failed() {
			t.Logf("the writer said: %s", said.String())
		}
	})
	var peer side
	if err := json.NewDecoder(out).Decode(&peer); err != nil {
		t.Fatalf("the writer did not begin: %v", err)
	}
	if err := near.ConnectWith(peer.GID, 0, peer.QPN, p); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(in).Encode(self); err != nil {
		t.Fatal(err)
	}
	tr := &traffic{near, cmd, peer.place}
	tr.counts(t)
	return tr
}

// count returns how far the writer is.
func (tr *traffic) count() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&tr.Buf[link.Size/2])))
}

// counts waits until the writer has gone on.
func (tr *traffic) counts(t *testing.T) {
	t.Helper()
	from := tr.count()
	until(t, "the writer counts", slack, func() bool { return tr.count() >= from+10 })
}

// TestKilled kills a process while both sides write. The survivor learns it by a completion, and the kernel frees what the process
// had. Between the end of its memory region and that of its queue pair, the kernel denies access.
func TestKilled(t *testing.T) {
	w := openWire(t)
	before := kernelObjects(t)
	tr := w.startWriter(t, hasty)
	const enough = 50
	began := time.Now()
	wc := verbs.WC{}
	n := 0
	for ; wc.Err() == nil; n++ {
		if n == enough {
			if err := tr.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			began = time.Now()
		}
		wc = write(t, tr.End, tr.peer, hasty.Limit()+slack)
		if time.Since(began) > hasty.Limit()+slack {
			t.Fatalf("still alive after %d WRITEs", n)
		}
	}
	t.Logf("WRITE %d, %v after the kill: %v", n, time.Since(began), wc.Err())
	if n <= enough {
		t.Errorf("WRITE %d failed before the kill", n)
	}
	ends(t, "the WRITE", wc, verbs.WCStatusRetryExcErr, verbs.WCStatusRemAccessErr)
	ends(t, "the next one", write(t, tr.End, tr.peer, slack), verbs.WCStatusWRFlushErr)
	tr.cmd.Wait()
	if ws, ok := tr.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		t.Errorf("the writer ended by itself: %v", tr.cmd.ProcessState)
	}
	closeEnd(t, tr.End)
	until(t, fmt.Sprintf("the kernel's objects are again %q", before), settling, func() bool {
		return strings.Join(kernelObjects(t), "\n") == strings.Join(before, "\n")
	})
}

// TestStopped stops a process: the kernel goes on answering for it, so its peer notices nothing.
func TestStopped(t *testing.T) {
	w := openWire(t)
	tr := w.startWriter(t, hasty)
	if err := tr.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "the writer is stopped", slack, func() bool { return processState(t, tr.cmd.Process.Pid) == "T" })
	last := uint64(0)
	until(t, "the count stands still", slack, func() bool { // what was posted is still sent
		from := last
		last = tr.count()
		return last == from
	})
	for n := range 50 {
		if err := write(t, tr.End, tr.peer, slack).Err(); err != nil {
			t.Fatalf("WRITE %d to a stopped process: %v", n, err)
		}
	}
	if now := tr.count(); now != last {
		t.Errorf("the process is stopped, and counted from %d to %d", last, now)
	}
	if err := tr.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	tr.counts(t)
}

// processState returns the state letter of a process.
func processState(t *testing.T, pid int) string {
	t.Helper()
	text := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t))
	after := text[strings.LastIndex(text, ")")+1:]
	return strings.Fields(after)[0]
}
