//go:build linux

// Run executes a command without membarrier(2): run COMMAND ARGUMENT...
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/internal/denied"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: run COMMAND ARGUMENT...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run(name string, args []string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the thread that executes
	if err := denied.Call(unix.SYS_MEMBARRIER, syscall.ENOSYS, false); err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}
