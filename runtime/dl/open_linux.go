//go:build cgo

package dl

// This file holds the addresses that dlopen and dlsym answer. They are C's, never Go memory: the handle stays an
// unsafe.Pointer, a symbol a plain integer that only C turns into a function again.

/*
#cgo CFLAGS: -D_GNU_SOURCE
#cgo LDFLAGS: -ldl

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>

// verbsgen_dl_open opens a library and, in the same thread, fetches the reason of a failure into err. With loaded set,
// only a library that is in the process already is opened.
static void *verbsgen_dl_open(const char *path, int loaded, char *err, size_t n) {
	dlerror();
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | (loaded ? RTLD_NOLOAD : 0));
	if (handle == NULL) {
		const char *why = dlerror();
		snprintf(err, n, "%s", why != NULL ? why : "");
	}
	return handle;
}

static void verbsgen_dl_close(void *handle) {
	dlclose(handle);
}

static uintptr_t verbsgen_dl_symbol(void *handle, const char *name, const char *version) {
#ifdef __GLIBC__
	if (version[0] != 0)
		return (uintptr_t)dlvsym(handle, name, version);
#endif
	return (uintptr_t)dlsym(handle, name);
}

// verbsgen_dl_file tells the file of a library, NULL when the loader does not say.
static const char *verbsgen_dl_file(void *handle) {
	struct link_map *map = NULL;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL)
		return NULL;
	return map->l_name;
}

static int verbsgen_dl_interp(struct dl_phdr_info *info, size_t size, void *found) {
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(int *)found = 1;
	return 1; // the program itself comes first, and nothing else matters
}

// verbsgen_dl_dynamic reports whether the program was started by a dynamic loader.
static int verbsgen_dl_dynamic(void) {
	int found = 0;
	dl_iterate_phdr(verbsgen_dl_interp, &found);
	return found;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// probe is the function by which a libibverbs is told from other libraries: it is there since the first release.
const probe = "ibv_get_device_list"

var (
	mu     sync.Mutex
	opened *Library
)

// Library is the libibverbs of the process.
type Library struct {
	handle  unsafe.Pointer // of dlopen
	path    string
	release string
}

// Open loads libibverbs: the file at path, or for "" the DefaultName that the loader of the system finds. A process has
// one libibverbs. Opening it again, under any name, returns the same Library; opening another one is an error that
// names both. The error is an *Error. It is errors.ErrUnsupported and fs.ErrNotExist when there is no such library, and
// errors.ErrUnsupported when the program is linked statically.
func Open(path string) (*Library, error) {
	mu.Lock()
	defer mu.Unlock()
	if path == "" {
		if opened != nil {
			return opened, nil
		}
		path = DefaultName
	}
	if strings.ContainsRune(path, 0) {
		return nil, &Error{Path: strconv.Quote(path), Problem: "the name holds a NUL character", Fix: "give the path of " + DefaultName}
	}
	if C.verbsgen_dl_dynamic() == 0 {
		return nil, &Error{
			Path:    path,
			Problem: "this program is linked statically, and a library loaded into it would keep an errno of its own",
			Fix:     "link it dynamically (without -static)",
			Err:     errors.ErrUnsupported,
		}
	}
	if err := oneOnly(path); err != nil {
		return nil, err
	}
	if err := whole(path); err != nil {
		return nil, err
	}
	handle, why := dlopen(path, false)
	if handle == nil {
		return nil, explain(path, why)
	}
	if opened != nil && opened.handle == handle {
		return opened, nil
	}
	l := &Library{handle: handle, path: fileOf(handle, path)}
	if l.Symbol(probe, "") == 0 {
		C.verbsgen_dl_close(handle) // nobody holds anything of it, and its name may be in the way of the right one
		return nil, &Error{
			Path:    path,
			Problem: "it is a shared library, but no libibverbs: it has no function " + probe,
			Fix:     "give the path of " + DefaultName,
		}
	}
	l.release = releaseOf(l.path)
	opened = l
	return l, nil
}

// oneOnly refuses path when another libibverbs is in the process: one that Open loaded, or one that the program was
// linked with.
func oneOnly(path string) error {
	first := unsafe.Pointer(nil)
	if opened != nil {
		first = opened.handle
	} else if first, _ = dlopen(DefaultName, true); first == nil {
		return nil
	}
	if again, _ := dlopen(path, true); again == first {
		return nil
	}
	return &Error{
		Path: path,
		Problem: fmt.Sprintf("this process has loaded another libibverbs, %s, and its providers work with that one only",
			fileOf(first, DefaultName)),
		Fix: "use one libibverbs in a process",
	}
}

// dlopen returns a handle, or nil and the loader's reason.
func dlopen(path string, loaded bool) (unsafe.Pointer, string) {
	only := C.int(0)
	if loaded {
		only = 1
	}
	name := append([]byte(path), 0)
	why := make([]byte, 1024)
	handle := C.verbsgen_dl_open((*C.char)(unsafe.Pointer(&name[0])), only, (*C.char)(unsafe.Pointer(&why[0])), C.size_t(len(why)))
	return handle, C.GoString((*C.char)(unsafe.Pointer(&why[0])))
}

func fileOf(handle unsafe.Pointer, path string) string {
	if file := C.verbsgen_dl_file(handle); file != nil {
		if s := C.GoString(file); s != "" {
			return s
		}
	}
	return path
}

// Symbol returns the address of a function of the library, 0 if the library lacks it. With a version ("IBVERBS_1.1") it
// returns exactly that version, with "" the default version. Where the C library knows no symbol versions (musl),
// version is ignored.
func (l *Library) Symbol(name, version string) uintptr {
	if l == nil || l.handle == nil {
		return 0
	}
	n, v := append([]byte(name), 0), append([]byte(version), 0)
	return uintptr(C.verbsgen_dl_symbol(l.handle, (*C.char)(unsafe.Pointer(&n[0])), (*C.char)(unsafe.Pointer(&v[0]))))
}
