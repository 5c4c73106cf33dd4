//go:build linux

package main

import (
	"bufio"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// machines are those of this process.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// reachable returns why LD_PRELOAD does not reach a program.
func reachable(program string) error {
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	privileged := func(why string) error {
		return fmt.Errorf("%s %s, so that the system ignores LD_PRELOAD: run a copy of it, or as root", program, why)
	}
	if owner := info.Sys().(*syscall.Stat_t); info.Mode()&os.ModeSetuid != 0 && int(owner.Uid) != os.Getuid() {
		return privileged("is a setuid program")
	} else if info.Mode()&os.ModeSetgid != 0 && int(owner.Gid) != os.Getgid() {
		return privileged("is a setgid program")
	}
	if n, err := syscall.Getxattr(program, "security.capability", nil); err == nil && n > 0 && os.Getuid() != 0 {
		return privileged("has capabilities")
	}
	f, err := os.Open(program)
	if err != nil {
		return fmt.Errorf("%w; rdmacard reads a program to know whether the card reaches it", err)
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	if script, ok := strings.CutPrefix(line, "#!"); ok {
		if words := strings.Fields(script); len(words) > 1 && filepath.Base(words[0]) == "env" {
			if program, err := exec.LookPath(words[len(words)-1]); err == nil {
				return reachable(program)
			}
		} else if len(words) > 0 {
			return reachable(words[0])
		}
		return nil
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return nil //nolint:nilerr // the system says what is wrong with it
	}
	return loaded(program, e)
}

// loaded returns why the card, a library for glibc, cannot be in a process of this file.
func loaded(program string, e *elf.File) error {
	if e.Machine != machines[runtime.GOARCH] || e.Class != elf.ELFCLASS64 {
		return fmt.Errorf("%s is for %v (%v), and the card for %s", program, e.Machine, e.Class, runtime.GOARCH)
	}
	if name, err := e.DynString(elf.DT_SONAME); err == nil && len(name) > 0 { // the loader itself
		return nil
	}
	for _, p := range e.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		loader, err := io.ReadAll(p.Open())
		if err != nil {
			return err
		}
		if name := filepath.Base(string(loader)); strings.HasPrefix(name, "ld-musl") {
			return fmt.Errorf("%s is for musl, and the card for glibc: build it on a system with glibc, as Debian is", program)
		}
		return nil
	}
	if info, err := buildinfo.ReadFile(program); err == nil && info.Path == "cmd/go" { // it starts others, which have cgo
		return nil
	}
	return errors.New(program + " is linked statically, so that LD_PRELOAD does not reach it: link it with shared libraries, a Go program " +
		"with CGO_ENABLED=1; if it only starts others, run env $(rdmacard env) " + program)
}
