package object

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"weak"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// handle is an object as generated code makes them.
type handle struct {
	node  Node
	verb  string
	log   *[]string
	fails error
}

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *handle) Close() error {
	return h.node.Close(h.verb, func() error {
		if h.log != nil {
			*h.log = append(*h.log, h.node.String())
		}
		return h.fails
	})
}

func make1(t *testing.T, kind, label string, parents ...*handle) *handle {
	t.Helper()
	h := &handle{verb: "ibv_close_" + kind}
	var ps []*Node
	for _, p := range parents {
		ps = append(ps, &p.node)
		h.log = p.log
	}
	if err := h.node.Init(h, kind, label, ps...); err != nil {
		t.Fatalf("Init %s: %v", kind, err)
	}
	return h
}

func logged(t *testing.T) (*handle, *[]string) {
	root := make1(t, "Device", "rxe0")
	root.log = new([]string)
	return root, root.log
}

func wantErr(t *testing.T, err error, is error, text string) {
	t.Helper()
	if is != nil && !errors.Is(err, is) {
		t.Errorf("error %v is not %v", err, is)
	}
	if err == nil || err.Error() != text {
		t.Errorf("error:\n got %v\nwant %s", err, text)
	}
}

func TestString(t *testing.T) {
	tests := []struct{ kind, label, want string }{
		{"MR", "lkey 0x1234", "MR (lkey 0x1234)"},
		{"MR", "", "MR"},
		{"MR", "MR (lkey 0x1)", "MR (lkey 0x1)"},
		{"", "", "unopened object"},
	}
	for _, tt := range tests {
		if got := (&Node{kind: tt.kind, label: tt.label}).String(); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.kind, tt.label, got, tt.want)
		}
	}
	h := make1(t, "MR", "lkey 0x1")
	h.node.SetLabel("lkey 0x2")
	if got := h.node.String(); got != "MR (lkey 0x2)" {
		t.Errorf("after SetLabel: %q", got)
	}
	h.Close()
}

func TestCloseOrder(t *testing.T) {
	dev, _ := logged(t)
	pd := make1(t, "PD", "handle 3", dev)
	dm := make1(t, "DM", "handle 4", dev)
	mr := make1(t, "MR", "lkey 0x10", pd, dm)
	wantErr(t, dm.Close(), syscall.EBUSY,
		"ibv_close_DM: DM (handle 4) still has MR (lkey 0x10) open; close what is open first: device or resource busy (EBUSY)")
	wantErr(t, dev.Close(), syscall.EBUSY,
		"ibv_close_Device: Device (rxe0) still has PD (handle 3), DM (handle 4) open; close what is open first: device or resource busy (EBUSY)")
	if n := len(dev.node.Children()); n != 2 {
		t.Errorf("%d objects below the device", n)
	}
	for _, h := range []*handle{mr, dm, pd, dev} {
		if err := h.Close(); err != nil {
			t.Errorf("Close %s: %v", &h.node, err)
		}
	}
	if want := []string{"MR (lkey 0x10)", "DM (handle 4)", "PD (handle 3)", "Device (rxe0)"}; !slices.Equal(*dev.log, want) {
		t.Errorf("destroyed %q, want %q", *dev.log, want)
	}
	wantErr(t, mr.Close(), os.ErrClosed, "ibv_close_MR: MR (lkey 0x10) is closed")
	wantErr(t, pd.node.Enter("ibv_reg_mr"), os.ErrClosed, "ibv_reg_mr: PD (handle 3) is closed")
	late := &handle{}
	wantErr(t, late.node.Init(late, "MR", "", &pd.node), os.ErrClosed, "PD (handle 3) is closed")
	wantErr(t, late.Close(), os.ErrClosed, "the object was never opened")
}

func TestDestroyFails(t *testing.T) {
	dev, _ := logged(t)
	pd := make1(t, "PD", "", dev)
	pd.fails = syscall.EIO
	if err := pd.Close(); err != syscall.EIO {
		t.Errorf("Close = %v", err)
	}
	if !pd.node.IsOpen() || !slices.Equal(inTree(dev.node.openNames), []string{"PD"}) {
		t.Errorf("a failed Close has closed; the device has %q", inTree(dev.node.openNames))
	}
	check(t, pd.node.Enter("v"))
	pd.node.Exit()
	func() {
		defer func() { recover() }()
		pd.node.Close("v", func() error { panic("destroy") })
	}()
	pd.fails = nil
	check(t, pd.Close())
	dev.Close()
}

func TestClosingRefuses(t *testing.T) {
	pd := make1(t, "PD", "")
	err := pd.node.Close("v", func() error {
		if err := pd.node.Enter("use"); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Enter while closing = %v", err)
		}
		if err := pd.node.Close("v", nil); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Close while closing = %v", err)
		}
		mr := &handle{}
		if err := mr.node.Init(mr, "MR", "", &pd.node); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Init under a closing node = %v", err)
		}
		return nil
	})
	check(t, err)
}

func TestInitMisuse(t *testing.T) {
	pd := make1(t, "PD", "")
	wantErr(t, pd.node.Init(pd, "PD", ""), nil, "internal error: PD is initialised twice")
	var n Node
	wantErr(t, n.Init(nil, "MR", "lkey 1"), nil, "internal error: MR lkey 1 has no handle to close")
	mr := &handle{}
	check(t, mr.node.Init(mr, "MR", "", nil, &pd.node, &pd.node))
	if got := inTree(pd.node.openNames); !slices.Equal(got, []string{"MR"}) {
		t.Errorf("Open = %q", got)
	}
	mr.Close()
	pd.Close()
}

// TestForgottenStaysOpen drops every reference to an object and its parents: it stays, and its parent names it.
func TestForgottenStaysOpen(t *testing.T) {
	dev := make1(t, "Device", "")
	forgotten := weak.Make(make1(t, "MR", "lkey 0x7", make1(t, "PD", "", dev)))
	root := weak.Make(make1(t, "Device", "dropped"))
	for range 5 {
		runtime.GC()
	}
	if forgotten.Value() == nil {
		t.Fatal("an open object was collected")
	}
	if root.Value() == nil {
		t.Fatal("an open object without parents was collected")
	}
	if got := forgotten.Value().node.parents[0].openNames(); !slices.Equal(got, []string{"MR (lkey 0x7)"}) {
		t.Errorf("the parent names %q", got)
	}
	check(t, errors.Join(CloseTree(&dev.node), root.Value().Close()))
	for range 5 {
		runtime.GC()
	}
	if forgotten.Value() != nil || root.Value() != nil {
		t.Error("a closed object is still reachable")
	}
	runtime.KeepAlive(dev)
}

// TestConcurrent makes, uses and closes from many goroutines; -race watches, and the counts must agree in the end.
func TestConcurrent(t *testing.T) {
	dev := make1(t, "Device", "")
	var made, destroyed atomic.Int64
	var wg sync.WaitGroup
	pds := []*handle{make1(t, "PD", "0", dev), make1(t, "PD", "1", dev)}
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				pd := pds[(g+i)%2]
				if pd.node.Enter("ibv_reg_mr") != nil {
					continue
				}
				mr := &handle{}
				if err := mr.node.Init(mr, "MR", "", &pd.node); err != nil {
					t.Errorf("Init under an entered parent: %v", err)
				}
				made.Add(1)
				pd.node.Exit()
				if m, err := BeginMove("v", &mr.node, &pd.node, &pds[1].node); err == nil {
					m.Arrived()
				}
				mr.node.SetLabel("moved")
				_ = inTree(dev.node.openNames)
				if err := mr.node.Close("v", func() error { destroyed.Add(1); return nil }); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 200 {
				if err := pds[0].node.Close("v", func() error { return syscall.EAGAIN }); err == nil {
					t.Error("Close succeeded although destroy fails")
				}
			}
		})
	}
	wg.Wait()
	if made.Load() != destroyed.Load() {
		t.Errorf("made %d, destroyed %d", made.Load(), destroyed.Load())
	}
	check(t, CloseTree(&dev.node))
}

func TestEnterIsFree(t *testing.T) {
	pd := make1(t, "PD", "")
	allocs.None(t, "Enter and Exit", func() {
		if pd.node.Enter("ibv_reg_mr") == nil {
			pd.node.Exit()
		}
	})
	pd.Close()
}

// TestChildren lists the handles that are open under a node, in the order of making.
func TestChildren(t *testing.T) {
	dev, _ := logged(t)
	a, b := make1(t, "PD", "1", dev), make1(t, "PD", "2", dev)
	if got := dev.node.Children(); len(got) != 2 || got[0] != a || got[1] != b {
		t.Errorf("children: %v", got)
	}
	check(t, a.Close())
	if got := dev.node.Children(); len(got) != 1 || got[0] != b {
		t.Errorf("children after a Close: %v", got)
	}
}
