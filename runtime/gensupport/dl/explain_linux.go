//go:build cgo

package dl

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// machines are the ELF machines of the ports that Go has with cgo on Linux.
var machines = map[string]elf.Machine{
	"386": elf.EM_386, "amd64": elf.EM_X86_64, "arm": elf.EM_ARM, "arm64": elf.EM_AARCH64,
	"loong64": elf.EM_LOONGARCH, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV, "s390x": elf.EM_S390,
}

// explain finds out why the loader refused path; why is the loader's own reason.
func explain(m Module, path, why string) error {
	e := &verr.LoadError{Path: path, Problem: "the loader says: " + why}
	switch {
	case strings.Contains(why, "Too many open files"):
		e.Fix, e.Err = cmp.Or(fail.FilesHint(), "raise the limit on file descriptors"), syscall.EMFILE
		return e
	case strings.Contains(why, "cannot open shared object file"):
		e.Fix = "install the library that it needs"
	case strings.Contains(why, "version `") && strings.Contains(why, "not found"):
		e.Fix = "it was built for newer libraries than this system has: give the path of one built for it"
	}
	if !strings.Contains(path, "/") {
		// The loader looked along its search path. Its text begins with another name when path was found and
		// something that path needs was not.
		if strings.Contains(why, path) && strings.Contains(why, "No such file") {
			e.Problem, e.Fix, e.Err = "not found", m.install(), errors.Join(errors.ErrUnsupported, fs.ErrNotExist)
		}
		return e
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem, e.Fix, e.Err = "no such file", m.install(), errors.Join(errors.ErrUnsupported, fs.ErrNotExist)
		return e
	case err != nil:
		e.Problem, e.Fix, e.Err = "it cannot be read: "+err.Error(), "make it readable", err
		return e
	}
	defer f.Close()
	explainELF(m, e, f)
	return e
}

// explainELF looks into the file itself; what it cannot tell stays the loader's reason.
func explainELF(m Module, e *verr.LoadError, f *os.File) {
	magic := make([]byte, len(elf.ELFMAG))
	if n, _ := f.ReadAt(magic, 0); string(magic[:n]) != elf.ELFMAG {
		e.Problem, e.Fix = "it is not a shared library (no ELF file)", "give the path of "+m.Name
		return
	}
	lib, err := elf.NewFile(f)
	if err != nil {
		e.Problem, e.Fix = "it is a damaged ELF file: "+err.Error(), "install it again"
		return
	}
	if want, known := machines[runtime.GOARCH]; known && (lib.Machine != want || lib.Class != elf.ELFCLASS64 && is64()) {
		e.Problem = fmt.Sprintf("it is a library for another machine (%s, %s)", lib.Machine, lib.Class)
		e.Fix = "give the path of one for " + runtime.GOARCH
		return
	}
	if lib.Type != elf.ET_DYN {
		e.Problem, e.Fix = fmt.Sprintf("it is not a shared library (%s)", lib.Type), "give the path of "+m.Name
	}
}

func is64() bool { return ^uint(0)>>32 != 0 }
