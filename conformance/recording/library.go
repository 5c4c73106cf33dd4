//go:build linux && cgo

package recording

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/spec/api"
)

//go:embed src
var sources embed.FS

// How says with what records and objects are filled.
type How int

const (
	AsIs How = iota // left as they are
	Own             // a value of its own in each field
	Ones            // all bits 1: a device that can do everything
)

// All stands for all fields.
const All = -1

// Library is a libibverbs of one device that records the calls made of it.
type Library struct {
	source *source // of the records and functions
	handle unsafe.Pointer
}

// Open compiles the library in dir against the verbs.h in the folder include, and loads it. abi is the text of the project's own
// header, which has what an older verbs.h lacks. The compiler is $CC or gcc.
func Open(dir, include, abi string) (*Library, error) {
	newest, err := api.Load(api.Newest())
	if err != nil {
		return nil, err
	}
	release, err := releaseOf(include, newest)
	if err != nil {
		return nil, err
	}
	have, err := api.Load(release)
	if err != nil {
		return nil, err
	}
	grown := grownSince(have, newest)
	s := newSource(have, newest, grown)
	decls, err := declarations(abi, have, newest, grown)
	if err != nil {
		return nil, err
	}
	tables, err := s.text()
	if err != nil {
		return nil, err
	}
	out, err := compile(dir, include, decls, tables)
	if err != nil {
		return nil, err
	}
	l := &Library{source: s}
	name := C.CString(out)
	defer C.free(unsafe.Pointer(name))
	if l.handle = C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL); l.handle == nil {
		return nil, errors.New(C.GoString(C.dlerror()))
	}
	return l, nil
}

func compile(dir, include, decls, tables string) (string, error) {
	written, err := fs.Sub(sources, "src")
	if err != nil {
		return "", err
	}
	err = errors.Join(os.CopyFS(dir, written), os.WriteFile(filepath.Join(dir, "decls.h"), []byte(decls), 0o644),
		os.WriteFile(filepath.Join(dir, "tables.h"), []byte(tables), 0o644))
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "recorder.so")
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	args := append(cc[1:], "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-Wl,-z,defs",
		"-isystem", include, "-o", out, filepath.Join(dir, "recorder.c"), "-lpthread")
	if said, err := exec.Command(cc[0], args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s with the header in %s: %w\n%s", cc[0], include, err, said)
	}
	return out, nil
}

// find returns the address of a function of the library's own.
func (l *Library) find(name string) uintptr {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return uintptr(C.dlsym(l.handle, s))
}

// call calls a function of the library's own with texts and, behind them, numbers.
func (l *Library) call(name string, texts []string, numbers ...uint64) uintptr {
	var args []uintptr
	for _, text := range texts {
		s := C.CString(text)
		defer C.free(unsafe.Pointer(s))
		args = append(args, uintptr(unsafe.Pointer(s)))
	}
	for _, n := range numbers {
		args = append(args, uintptr(n))
	}
	result, _, err := rawcall.Call(l.find("recording_"+name), args...)
	if err != nil {
		panic(err)
	}
	return result
}

// Symbol makes the library a source of functions. It has no symbol versions.
func (l *Library) Symbol(name, _ string) uintptr { return l.find("recorded_" + name) }

// Calls returns the calls since the last one.
func (l *Library) Calls() ([]Call, error) { return parseCalls(rawcall.Text(l.call("take", nil))) }

// Fill says what the records hold that calls of a verb answer with: all of their fields, or the one of that number, counted from 0.
// The verb "" stands for the objects that are made.
func (l *Library) Fill(verb string, how How, field int) {
	l.call("fill", []string{verb}, uint64(how), uint64(field))
}

// Set gives a field of the records that Fill fills another value: the number that says which member of a union is valid.
// The field "" takes that back.
func (l *Library) Set(verb, field string, value uint64) { l.call("set", []string{verb, field}, value) }

// Result says what calls of a verb return. Without it codes are 0, and other values are those of the call alone.
func (l *Library) Result(verb string, result int64) {
	l.call("result", []string{verb}, uint64(result))
}

// Reply says what one call of a verb returns, and what numbers and pointers it leaves in the object that is its first argument, or in a
// record that another argument points to.
type Reply struct {
	Result  int64
	Numbers map[string]uint64 // by field; of another argument by "event.event_type"
}

// Replies adds to what the next calls of a verb return, one after the other. Calls beyond them return what Result says. A verb that takes
// events takes none, and fails with EAGAIN, until the descriptor of its object, an eventfd that Poke sets, counts one more.
func (l *Library) Replies(verb string, replies ...Reply) {
	for _, r := range replies {
		l.call("reply", []string{verb}, uint64(r.Result))
		for field, value := range r.Numbers {
			l.call("leave", []string{verb, field}, value)
		}
	}
}

// Poke sets a number or a pointer of an object, by its tag and address, as the library would have by what was done with it. It is false
// when the object has no such field.
func (l *Library) Poke(tag string, object uint64, field string, value uint64) bool {
	return l.call("poke", []string{tag, field}, object, value) != 0
}

// Swap makes the library take two fields of a record for each other, until the next Swap of the two. It is false when they are not of
// one size.
func (l *Library) Swap(tag, one, other string) bool {
	return l.call("swap", []string{tag, one, other}) != 0
}

// Forget frees all objects, which nobody may use any longer, and takes back what Fill, Result and Replies said.
func (l *Library) Forget() { l.call("forget", nil) }
