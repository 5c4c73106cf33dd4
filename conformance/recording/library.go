//go:build linux && cgo

package recording

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static const char *take(uintptr_t fn) { return ((const char *(*)(void))fn)(); }
static void fill(uintptr_t fn, const char *verb, int how, int field) { ((void (*)(const char *, int, int))fn)(verb, how, field); }
static void set_result(uintptr_t fn, const char *verb, int64_t result) { ((void (*)(const char *, int64_t))fn)(verb, result); }
static void set(uintptr_t fn, const char *verb, const char *field, uint64_t value)
{
	((void (*)(const char *, const char *, uint64_t))fn)(verb, field, value);
}

static void reply(uintptr_t fn, const char *verb, int64_t result) { ((void (*)(const char *, int64_t))fn)(verb, result); }
static void leave(uintptr_t fn, const char *verb, const char *field, uint64_t value)
{
	((void (*)(const char *, const char *, uint64_t))fn)(verb, field, value);
}

static int swap(uintptr_t fn, const char *tag, const char *one, const char *other)
{
	return ((int (*)(const char *, const char *, const char *))fn)(tag, one, other);
}

static uintptr_t call_alloc(uintptr_t fn, uintptr_t function, uintptr_t pd, uintptr_t context, size_t size,
	size_t alignment, uint64_t resource)
{
	return ((uintptr_t (*)(uintptr_t, uintptr_t, uintptr_t, size_t, size_t, uint64_t))fn)(function, pd, context, size, alignment, resource);
}

static void call_free(uintptr_t fn, uintptr_t function, uintptr_t pd, uintptr_t context, uintptr_t memory, uint64_t resource)
{
	((void (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uint64_t))fn)(function, pd, context, memory, resource);
}

static int poke(uintptr_t fn, const char *tag, uintptr_t object, const char *field, uint64_t value)
{
	return ((int (*)(const char *, uintptr_t, const char *, uint64_t))fn)(tag, object, field, value);
}

static void forget(uintptr_t fn) { ((void (*)(void))fn)(); }
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
func (l *Library) find(name string) C.uintptr_t {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.uintptr_t(uintptr(C.dlsym(l.handle, s)))
}

// Symbol makes the library a source of functions. It has no symbol versions.
func (l *Library) Symbol(name, _ string) uintptr { return uintptr(l.find("recorded_" + name)) }

// Calls returns the calls since the last one.
func (l *Library) Calls() ([]Call, error) {
	return parseCalls(C.GoString(C.take(l.find("recording_take"))))
}

// Fill says what the records hold that calls of a verb answer with: all of their fields, or the one of that number, counted from 0.
// The verb "" stands for the objects that are made.
func (l *Library) Fill(verb string, how How, field int) {
	v := C.CString(verb)
	defer C.free(unsafe.Pointer(v))
	C.fill(l.find("recording_fill"), v, C.int(how), C.int(field))
}

// Set gives a field of the records that Fill fills another value: the number that says which member of a union is valid.
// The field "" takes that back.
func (l *Library) Set(verb, field string, value uint64) {
	v, f := C.CString(verb), C.CString(field)
	defer C.free(unsafe.Pointer(v))
	defer C.free(unsafe.Pointer(f))
	C.set(l.find("recording_set"), v, f, C.uint64_t(value))
}

// Result says what calls of a verb return. Without it codes are 0, and other values are those of the call alone.
func (l *Library) Result(verb string, result int64) {
	v := C.CString(verb)
	defer C.free(unsafe.Pointer(v))
	C.set_result(l.find("recording_result"), v, C.int64_t(result))
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
	v := C.CString(verb)
	defer C.free(unsafe.Pointer(v))
	for _, r := range replies {
		C.reply(l.find("recording_reply"), v, C.int64_t(r.Result))
		for field, value := range r.Numbers {
			f := C.CString(field)
			C.leave(l.find("recording_leave"), v, f, C.uint64_t(value))
			C.free(unsafe.Pointer(f))
		}
	}
}

// Alloc calls the allocator's function alloc as a provider does, and returns its result.
func (l *Library) Alloc(function, pd, context, size, alignment, resource uint64) uint64 {
	return uint64(C.call_alloc(l.find("recording_alloc"), C.uintptr_t(function), C.uintptr_t(pd), C.uintptr_t(context),
		C.size_t(size), C.size_t(alignment), C.uint64_t(resource)))
}

// Free calls the allocator's function free.
func (l *Library) Free(function, pd, context, memory, resource uint64) {
	C.call_free(l.find("recording_free"), C.uintptr_t(function), C.uintptr_t(pd), C.uintptr_t(context), C.uintptr_t(memory),
		C.uint64_t(resource))
}

// Poke sets a number or a pointer of an object, by its tag and address, as the library would have by what was done with it. It is false
// when the object has no such field.
func (l *Library) Poke(tag string, object uint64, field string, value uint64) bool {
	t, f := C.CString(tag), C.CString(field)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(f))
	return C.poke(l.find("recording_poke"), t, C.uintptr_t(object), f, C.uint64_t(value)) != 0
}

// Swap makes the library take two fields of a record for each other, until the next Swap of the two. It is false when they are not of
// one size.
func (l *Library) Swap(tag, one, other string) bool {
	t, a, b := C.CString(tag), C.CString(one), C.CString(other)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(a))
	defer C.free(unsafe.Pointer(b))
	return C.swap(l.find("recording_swap"), t, a, b) != 0
}

// Forget frees all objects, which nobody may use any longer, and takes back what Fill, Result and Replies said.
func (l *Library) Forget() { C.forget(l.find("recording_forget")) }
