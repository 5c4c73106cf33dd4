//go:build cgo && (amd64 || arm64)

package dl

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// whole refuses a file that is shorter than its own program headers say: the loader would map what is not there, and
// the process would die of SIGBUS at the first touch. size is that of the file. What cannot be read, or is not an ELF file, is left to the
// loader.
func whole(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var h elf.Header64 // read by hand: package elf wants the section headers, which are at the end of the file
	if binary.Read(f, binary.LittleEndian, &h) != nil || string(h.Ident[:4]) != elf.ELFMAG ||
		elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return nil
	}
	progs := make([]elf.Prog64, h.Phnum)
	err = binary.Read(io.NewSectionReader(f, int64(h.Phoff), int64(h.Phnum)*int64(h.Phentsize)), binary.LittleEndian, progs)
	short := err != nil
	for _, p := range progs {
		short = short || elf.ProgType(p.Type) == elf.PT_LOAD && p.Off+p.Filesz > uint64(size)
	}
	if short {
		return &verr.LoadError{Path: path, Problem: "the file is cut short: its own header says that more belongs to it", Fix: "install it again"}
	}
	return nil
}
