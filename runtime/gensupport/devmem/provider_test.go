//go:build linux && cgo

package devmem_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func second[T any](_ T, err error) error { return err }

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mapped is the mode of memory that a provider maps.
func mapped() devmem.Mode {
	if dmcopy.Available {
		return devmem.Direct4
	}
	return devmem.Shim
}

// fixture is a device memory of a fake provider with a handle over it.
type fixture struct {
	*devmem.DM
	provider *fakeprov.Provider
	object   unsafe.Pointer
	bytes    []byte // the memory itself
	attach   error
}

// built are the providers of this process, by kind: each is compiled and loaded once.
var built = map[string]*fakeprov.Provider{}

// folder holds them; it must outlive the tests, as the loader knows objects by their paths.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "devmem"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func load(t testing.TB, k fakeprov.Kind) *fakeprov.Provider {
	t.Helper()
	key := fmt.Sprintf("%+v", k)
	if p := built[key]; p != nil {
		return p
	}
	dir, err := os.MkdirTemp(folder, "")
	check(t, err)
	path, err := fakeprov.Build(dir, k, true)
	check(t, err)
	built[key] = loadPath(t, path)
	return built[key]
}

func loadPath(t testing.TB, path string) *fakeprov.Provider {
	t.Helper()
	p, err := fakeprov.Load(path)
	check(t, err)
	return p
}

// open makes a device memory and takes it into use.
func open(t testing.TB, p *fakeprov.Provider, length uint64) *fixture {
	t.Helper()
	object, err := p.Alloc(length)
	check(t, err)
	f := &fixture{DM: new(devmem.DM), provider: p, object: object, bytes: p.Bytes(object, length)}
	f.attach = f.Attach(object, length, true)
	t.Cleanup(func() { f.detach(); p.Free(object) })
	return f
}

// detach ends the use of the object, which stays.
func (f *fixture) detach() { _ = f.End("detach", "DM", time.Minute, func() error { return nil }) }

// TestProviders shows which providers are trusted and how their memory is reached.
func TestProviders(t *testing.T) {
	tests := []struct {
		name   string
		kind   fakeprov.Kind
		mode   devmem.Mode
		reason []string // in the text of a refusal
	}{
		{"mlx5", fakeprov.MLX5, mapped(), nil},
		{"mlx5 of the first version", fakeprov.MLX5Old, mapped(), nil},
		{"mlx5 that does not map", fakeprov.MLX5Silent, devmem.Shim, nil},
		{"words", fakeprov.Words, devmem.Shim, nil},
		{"bytes", fakeprov.Bytes, devmem.Shim, nil},
		{"SW_ICM", fakeprov.MLX5SWICM, devmem.Refused, []string{"set no copy callbacks", "SW_ICM", "libmlx5.so.1"}},
		{"MANA", fakeprov.MANA, devmem.Refused, []string{"uninitialised: MANA", "libmana.so.1"}},
		{"MANA under another name", fakeprov.MANARenamed, devmem.Refused, []string{"uninitialised: MANA", "libother.so.1"}},
		{"MANA known by its name", fakeprov.MANABare, devmem.Refused, []string{"uninitialised: MANA", "libmana-rdmav34.so"}},
		{"unset callbacks", fakeprov.Garbage, devmem.Refused, []string{"memcpy_to_dm lies in no loaded object", "libgarbage.so"}},
		{"callback elsewhere", fakeprov.Elsewhere, devmem.Refused, []string{"memcpy_from_dm lies in", "libc", "libelsewhere.so"}},
		{"callback to data", fakeprov.Data, devmem.Refused, []string{"memcpy_to_dm points to data of", "libdata.so"}},
		{"no read callback", fakeprov.WriteOnly, devmem.Refused, []string{"did not set the callback memcpy_from_dm", "libwriteonly.so"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, load(t, tt.kind), 4096)
			checkMode(t, f, tt.mode, tt.reason)
			if length, known := f.Length(); length != 4096 || !known {
				t.Errorf("length %d, known %v", length, known)
			}
		})
	}
}

func checkMode(t *testing.T, f *fixture, want devmem.Mode, reason []string) {
	t.Helper()
	if f.Mode() != want {
		t.Fatalf("mode %v, want %v (attach: %v)", f.Mode(), want, f.attach)
	}
	toBefore, fromBefore := f.provider.Calls()
	buf := []byte("granule!")
	_, writeErr := f.WriteAt(buf, 8)
	_, readErr := f.ReadAt(buf, 8)
	if want != devmem.Refused {
		if f.attach != nil || writeErr != nil || readErr != nil || string(f.bytes[8:16]) != "granule!" {
			t.Errorf("attach: %v, write: %v, read: %v, memory %q", f.attach, writeErr, readErr, f.bytes[8:16])
		}
		return
	}
	for _, err := range []error{f.attach, writeErr, readErr} {
		checkError(t, err, syscall.EOPNOTSUPP, reason...)
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v is not ErrUnsupported", err)
		}
	}
	if to, from := f.provider.Calls(); to != toBefore || from != fromBefore {
		t.Errorf("a callback of a refused provider was called")
	}
	checkError(t, writeErr, syscall.EOPNOTSUPP, "ibv_memcpy_to_dm: ")
	checkError(t, readErr, syscall.EOPNOTSUPP, "ibv_memcpy_from_dm: ")
}

// checkError asks for a *verr.Error with the errno and the parts of its text.
func checkError(t *testing.T, err error, errno syscall.Errno, parts ...string) {
	t.Helper()
	var e *verr.Error
	if !errors.As(err, &e) || (errno != 0 && !errors.Is(err, errno)) {
		t.Errorf("error %v, want a *verr.Error that is %v", err, verr.ErrnoName(errno))
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

// TestContexts refuses what cannot be traced back to a provider.
func TestContexts(t *testing.T) {
	tests := []struct {
		name   string
		how    fakeprov.Break
		reason string
	}{
		{"no context", fakeprov.NoContext, "no table of ops"},
		{"old layout", fakeprov.OldLayout, "no table of ops"},
		{"context too short", fakeprov.ShortLayout, "no table of ops"},
		{"no op", fakeprov.NoOp, "no op alloc_dm"},
		{"op in no object", fakeprov.HeapOp, "the op alloc_dm of its context lies in no loaded object"},
	}
	p := load(t, fakeprov.Bytes)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, p, 64)
			p.SpoilContext(f.object, tt.how)
			f.attach = f.Attach(f.object, 64, true)
			checkMode(t, f, devmem.Refused, []string{tt.reason})
		})
	}
}

// TestProviderName loads an mlx5 provider as libibverbs does, by the name of a plug-in that is a link.
func TestProviderName(t *testing.T) {
	dir, err := os.MkdirTemp(folder, "")
	check(t, err)
	path, err := fakeprov.Build(dir, fakeprov.MLX5, true)
	check(t, err)
	link := filepath.Join(dir, "libmlx5-rdmav65.so")
	check(t, os.Symlink(path, link))
	checkMode(t, open(t, loadPath(t, link), 64), mapped(), nil)
}

// TestImported shows two objects over one memory, with the length known and not known.
func TestImported(t *testing.T) {
	for _, tt := range []struct {
		kind  fakeprov.Kind
		mode  devmem.Mode
		known bool
	}{{fakeprov.MLX5, mapped(), true}, {fakeprov.Words, devmem.Shim, false}} {
		t.Run(tt.kind.File, func(t *testing.T) {
			f := open(t, load(t, tt.kind), 64)
			object, err := f.provider.Import(f.object)
			check(t, err)
			defer f.provider.Free(object)
			var d devmem.DM
			check(t, d.Attach(object, 0, false))
			if _, known := d.Length(); d.Mode() != tt.mode || known != tt.known {
				t.Fatalf("mode %v, length known %v", d.Mode(), known)
			}
			check(t, f.PutUint32(60, 0xfeedbeef))
			if v, err := d.GetUint32(60); v != 0xfeedbeef || err != nil {
				t.Errorf("read %#x, %v through the second object", v, err)
			}
			_, err = d.WriteAt(make([]byte, 8), 60) // the provider's own check is all there is when the length is unknown
			checkError(t, err, syscall.EFAULT)
			_, err = d.WriteAt(make([]byte, 8), 2)
			checkError(t, err, syscall.EINVAL, "multiples of 4")
			_, err = d.WriteAt(make([]byte, 8), 1<<63-4)
			checkError(t, err, syscall.EFAULT)
		})
	}
}

func TestNil(t *testing.T) {
	var d devmem.DM
	if err := d.Attach(nil, 64, true); !errors.Is(err, os.ErrClosed) || d.Mode() != devmem.Detached {
		t.Errorf("Attach(nil): %v, mode %v", err, d.Mode())
	}
}
