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
#include <string.h>

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

// verbsgen_dl_defines reports whether a function is of the library itself: dlsym also finds those of libraries that it needs.
static int verbsgen_dl_defines(void *handle, uintptr_t fn) {
	struct link_map *map = NULL;
	Dl_info of;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL || dladdr((void *)fn, &of) == 0)
		return 1; // the loader does not say
	return strcmp(of.dli_fname, map->l_name) == 0;
}

// verbsgen_dl_file returns the file of a library, NULL when the loader does not say.
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
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

var (
	loading sync.Mutex // while the loader is at work, so that a process gets one library of a module
	opened  sync.Map   // of *Library, by the name of the module
)

// loaded returns the library of the module that Open has loaded, or nil.
func (m Module) loaded() *Library {
	l, _ := opened.Load(m.Name)
	found, _ := l.(*Library)
	return found
}

// Library is the library that the process has of a module.
type Library struct {
	handle  unsafe.Pointer // of dlopen
	path    string
	release string
}

// Open loads the library: the file at path, or for "" the one with the module's name that the loader of the system finds. A process
// has one library of a module. Opening it again, under any name, returns the same Library; opening another one is an error that
// names both. The error is a *verr.LoadError. It is errors.ErrUnsupported and fs.ErrNotExist when there is no such library, and
// errors.ErrUnsupported when the program is linked statically.
func (m Module) Open(path string) (*Library, error) {
	if path == "" {
		if l := m.loaded(); l != nil {
			return l, nil
		}
		path = m.Name
	}
	if err := m.openable(path); err != nil {
		return nil, err
	}
	loading.Lock()
	defer loading.Unlock()
	if err := oneOnly(m, path); err != nil {
		return nil, err
	}
	handle, why := dlopen(path, false)
	if handle == nil {
		return nil, explain(m, path, why)
	}
	if first := m.loaded(); first != nil && first.handle == handle {
		return first, nil
	}
	l := &Library{handle: handle, path: fileOf(handle, path)}
	if fn := l.Symbol(m.Probe, ""); fn == 0 || C.verbsgen_dl_defines(handle, C.uintptr_t(fn)) == 0 {
		C.verbsgen_dl_close(handle) // nobody holds anything of it, and its name may be in the way of the right one
		return nil, m.foreign(path)
	}
	l.release = releaseOf(m, l.path)
	opened.Store(m.Name, l)
	return l, nil
}

// openable refuses what the loader must not be given: it holds a lock of the process while it opens a file, and dies of one that is
// cut short.
func (m Module) openable(path string) error {
	if strings.ContainsRune(path, 0) {
		return &verr.LoadError{Path: strconv.Quote(path), Problem: "the name holds a NUL character", Fix: "give the path of " + m.Name}
	}
	if C.verbsgen_dl_dynamic() == 0 {
		return &verr.LoadError{
			Path:    path,
			Problem: "this program is linked statically, and a library loaded into it would keep an errno of its own",
			Fix:     "link it dynamically (without -static)",
			Err:     errors.ErrUnsupported,
		}
	}
	if !strings.Contains(path, "/") {
		return nil // the loader's search path finds it
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // the loader says why
	}
	if !info.Mode().IsRegular() { // an open of a named pipe or of a device may wait forever
		return &verr.LoadError{Path: path, Problem: "it is not a regular file", Fix: "give the path of " + m.Name}
	}
	return whole(path, info.Size())
}

// OpenOn is Open for a library that works with objects of others, which the program must have loaded: objects of a software device
// mean nothing to it.
func (m Module) OpenOn(path string, others ...Source) (*Library, error) {
	for _, other := range others {
		if l, real := other.(*Library); !real || l == nil {
			name := "another source of functions"
			if s, ok := other.(interface{ String() string }); ok {
				name = s.String()
			}
			if path == "" {
				path = m.Name
			}
			return nil, &verr.LoadError{
				Path:    path,
				Problem: "it works with libraries that are loaded, and is to be used with " + name,
				Fix:     "give it what Load returned, or use LoadFrom with functions that go with " + name,
			}
		}
	}
	return m.Open(path)
}

// foreign is the error of a library that is not the module's.
func (m Module) foreign(path string) error {
	return &verr.LoadError{
		Path:    path,
		Problem: "it is a shared library, but not " + m.base() + ": it has no function " + m.Probe,
		Fix:     "give the path of " + m.Name,
	}
}

// lacks reports whether the file of a library, which is not loaded, says that it does not have a function. A file without a folder is
// looked for in dir, since it is not loaded to find out where it is. What cannot be read does not say.
func lacks(path, dir, function string) bool {
	if !strings.Contains(path, "/") {
		path = filepath.Join(dir, path)
	}
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	return err == nil && !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == function && s.Section != elf.SHN_UNDEF })
}

// oneOnly refuses path when another library of the module is in the process: one that Open loaded, or one that the program was
// linked with.
func oneOnly(m Module, path string) error {
	first := unsafe.Pointer(nil)
	if l := m.loaded(); l != nil {
		first = l.handle
	} else if first, _ = dlopen(m.Name, true); first == nil {
		return nil
	}
	again, _ := dlopen(path, true)
	if again == first {
		return nil
	}
	if again != nil {
		fn := (&Library{handle: again}).Symbol(m.Probe, "")
		if fn == 0 || C.verbsgen_dl_defines(again, C.uintptr_t(fn)) == 0 {
			return m.foreign(path)
		}
	} else if lacks(path, filepath.Dir(fileOf(first, m.Name)), m.Probe) {
		return m.foreign(path)
	}
	return &verr.LoadError{
		Path: path,
		Problem: fmt.Sprintf("this process has loaded another %s, %s, and what depends on it works with that one only", m.base(),
			fileOf(first, m.Name)),
		Fix: "use one " + m.base() + " in a process",
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
