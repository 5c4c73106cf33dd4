package denied

// Why unsafe: the kernel takes the address of a program. What keeps it sound: the program lives until the call has returned.

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Call has the system call of that number return errno from now on, in all threads of the process or only in the calling one, and in what
// they execute. A goroutine that denies a call to its thread locks the thread before, and never unlocks it.
func Call(number uint32, errno syscall.Errno, all bool) error {
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call, which struct seccomp_data begins with
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: number},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := &unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	flags := uintptr(0)
	if all {
		flags = unix.SECCOMP_FILTER_FLAG_TSYNC
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(program)))
	runtime.KeepAlive(code)
	if failed != 0 {
		return failed
	}
	return nil
}
