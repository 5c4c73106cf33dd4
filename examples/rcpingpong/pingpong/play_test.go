package pingpong

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// device opens a device made of software, and sees to it that a test leaves nothing open on it.
func device(t *testing.T) *verbs.Device {
	t.Helper()
	soft := softverbs.New(softverbs.Name("soft0"))
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Skipf("no software device: %v", err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Errorf("something was left open: %v", err)
		}
		soft.Close()
	})
	return dev
}

// TestGame plays both roles in one program, on a device made of software.
func TestGame(t *testing.T) {
	for name, o := range map[string]Options{
		"polling":      {Size: 4096, Iters: 200},
		"events":       {Size: 4096, Iters: 200, Events: true},
		"one byte":     {Size: 1, Iters: 3},
		"once":         {Size: 100, Iters: 1, Events: true},
		"long message": {Size: 1 << 20, Iters: 5},
	} {
		t.Run(name, func(t *testing.T) {
			dev, ln := device(t), listen(t)
			o.IBPort, o.Check = 1, true
			type end struct {
				r   *Result
				err error
			}
			served := make(chan end, 1)
			go func() {
				r, err := Serve(t.Context(), dev, ln, o)
				served <- end{r, err}
			}()
			r, err := Play(t.Context(), dev, ln.Addr().String(), o)
			server := <-served
			if err != nil || server.err != nil {
				t.Fatalf("client: %v; server: %v", err, server.err)
			}
			if r.Peer != server.r.Self || r.Self != server.r.Peer {
				t.Errorf("the client has %v and %v, the server %v and %v", r.Self, r.Peer, server.r.Self, server.r.Peer)
			}
			if want := 2 * int64(o.Size) * int64(o.Iters); r.Bytes != want || len(r.Last) != o.Size || r.Last[0] != byte(o.Iters) {
				t.Errorf("%d bytes, want %d; the last message has %d, the first of them is %d", r.Bytes, want, len(r.Last), r.Last[0])
			}
		})
	}
}

// TestPeerStops has a client that plays one round less than the server: the server ends by its timeout, in both modes.
func TestPeerStops(t *testing.T) {
	for name, events := range map[string]bool{"polling": false, "events": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev, ln := device(t), listen(t)
			o := Options{IBPort: 1, Size: 64, Iters: 3, Events: events, Timeout: time.Second}
			served := make(chan error, 1)
			go func() {
				_, err := Serve(t.Context(), dev, ln, o)
				served <- err
			}()
			short := o
			short.Iters, short.Timeout = 2, 0
			if _, err := Play(t.Context(), dev, ln.Addr().String(), short); err != nil {
				t.Errorf("client: %v", err)
			}
			if err := <-served; err == nil || !strings.Contains(err.Error(), "2 messages sent and 2 received of 3: nothing completed") {
				t.Errorf("server: %v", err)
			}
		})
	}
}

// TestSizesDiffer has both sides play with messages of different lengths.
func TestSizesDiffer(t *testing.T) {
	dev, ln := device(t), listen(t)
	o := Options{IBPort: 1, Size: 64, Iters: 3, Timeout: time.Second}
	served := make(chan error, 1)
	go func() {
		_, err := Serve(t.Context(), dev, ln, o)
		served <- err
	}()
	longer := o
	longer.Size = 32
	if _, err := Play(t.Context(), dev, ln.Addr().String(), longer); err == nil {
		t.Error("client: all went well")
	}
	if err := <-served; err == nil || !strings.Contains(err.Error(), "32 bytes came in place of 64") {
		t.Errorf("server: %v", err)
	}
}

// TestRefused pins what is refused before anything is made, a server that is not there, and a cancelled wait.
func TestRefused(t *testing.T) {
	dev := device(t)
	good := Options{IBPort: 1, Size: 64, Iters: 1}
	for problem, change := range map[string]func(*Options){
		"ports":      func(o *Options) { o.IBPort = 0 },
		"0 bytes":    func(o *Options) { o.Size = 0 },
		"1073741825": func(o *Options) { o.Size = MaxSize + 1 },
		"iterations": func(o *Options) { o.Iters = 0 },
		"GID index":  func(o *Options) { o.GIDIndex = 256 },
		"timeout":    func(o *Options) { o.Timeout = -1 },
	} {
		o := good
		change(&o)
		if _, err := Serve(t.Context(), dev, listen(t), o); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%+v: error %v, want one with %q", o, err, problem)
		}
	}
	ln := listen(t)
	ln.Close()
	if _, err := Play(t.Context(), dev, ln.Addr().String(), good); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("no server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Serve(ctx, dev, listen(t), good); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled server: %v", err)
	}
}

// TestNoGID has a peer on Ethernet that tells no GID, and a side that names none.
func TestNoGID(t *testing.T) {
	dev, ln := device(t), listen(t)
	go func() {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Write(Address{QPN: 17}.wire())
		io.Copy(io.Discard, conn)
	}()
	o := Options{IBPort: 1, Size: 64, Iters: 1}
	if _, err := Serve(t.Context(), dev, ln, o); err == nil || !strings.Contains(err.Error(), "the peer told no GID") {
		t.Errorf("a peer without GID: %v", err)
	}
	o.GIDIndex = -1
	if _, err := Serve(t.Context(), dev, listen(t), o); err == nil || !strings.Contains(err.Error(), "name the entry") {
		t.Errorf("a side without GID: %v", err)
	}
}
