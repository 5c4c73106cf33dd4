// Package dl finds libibverbs, and libraries that use it, at run time, so that a program also starts on a machine without it
// and can report that.
//
// It ensures that a process has one real library of each module: the providers (libmlx5, librxe, ...) depend on libibverbs and bind to
// the first one loaded, so that a second one would see no device. It must not know any function except the one by which a module
// recognises its library. A library is never unloaded: handles, threads and function tables point into it.
//
// Without cgo, or on another system than Linux, Open returns an error that is errors.ErrUnsupported.
package dl

import "strings"

// Module is a library as generated packages know it.
type Module struct {
	Name    string // file that Open("") searches for in LD_LIBRARY_PATH and on the search path of the system: "libibverbs.so.1"
	Probe   string // function by which the library is told from others
	Install string // packages that have it; may be empty
}

// DefaultName is the file of libibverbs.
const DefaultName = "libibverbs.so.1"

// verbs is libibverbs. Its probe is there since the first release.
var verbs = Module{Name: DefaultName, Probe: "ibv_get_device_list",
	Install: "Debian, Ubuntu: libibverbs1 and ibverbs-providers; Fedora, RHEL: libibverbs"}

// Open is Module.Open of libibverbs.
func Open(path string) (*Library, error) { return verbs.Open(path) }

// base is the name of the library without the numbers of its versions: "libibverbs".
func (m Module) base() string {
	name, _, _ := strings.Cut(m.Name, ".so")
	return name
}

// install says how to get the library.
func (m Module) install() string {
	if m.Install == "" {
		return "install it or give its path"
	}
	return "install it (" + m.Install + ") or give its path"
}

// Symbols is a source of C functions: a loaded library, or a software device that brings its own.
type Symbols interface {
	// Symbol returns the address of a C function, 0 if the source lacks it. version is the default symbol version of the
	// function ("IBVERBS_1.1"); a source without versions ignores it.
	Symbol(name, version string) uintptr
}
