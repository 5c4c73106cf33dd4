//go:build linux && cgo

package failures

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uverbsMajor is the major number of the first nodes of ib_uverbs.
const uverbsMajor = 231

// forbid moves this process into a cgroup that may not use the verbs nodes, as a container that does not have them.
func forbid(m *machine) error {
	at := filepath.Join(m.root, "cgroup")
	group := filepath.Join(at, fmt.Sprintf("failures-%d", os.Getpid()))
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("none", at, "cgroup2", 0, ""); err != nil {
		return err
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		return err
	}
	folder, err := os.Open(group)
	if err != nil {
		return err
	}
	defer folder.Close()
	program, err := loadFilter()
	if err != nil {
		return fmt.Errorf("the filter of devices: %w", err)
	}
	attach := struct{ target, program, kind, flags uint32 }{uint32(folder.Fd()), uint32(program), unix.BPF_CGROUP_DEVICE, 0}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_ATTACH, uintptr(unsafe.Pointer(&attach)), unsafe.Sizeof(attach))
	if errno != 0 {
		return fmt.Errorf("the filter of devices: %w", errno)
	}
	return errors.Join(unix.Close(program), os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0o644))
}

// loadFilter loads a program that refuses the devices of ib_uverbs. Its argument is struct bpf_cgroup_dev_ctx, whose second number is the
// major number.
func loadFilter() (int, error) {
	program := binary.LittleEndian.AppendUint64(nil, 4<<16|0x12<<8|0x61)              // r2 = *(u32 *)(r1 + 4)
	program = binary.LittleEndian.AppendUint64(program, 1<<32|0xb7)                   // r0 = 1
	program = binary.LittleEndian.AppendUint64(program, uverbsMajor<<32|1<<16|0x0255) // if r2 != uverbsMajor, skip the next
	program = binary.LittleEndian.AppendUint64(program, 0xb7)                         // r0 = 0
	program = binary.LittleEndian.AppendUint64(program, 0x95)                         // return r0
	license := []byte("GPL\x00")
	load := struct {
		kind, count    uint32
		insns, license unsafe.Pointer
		rest           [88]byte
	}{kind: unix.BPF_PROG_TYPE_CGROUP_DEVICE, count: uint32(len(program) / 8), insns: unsafe.Pointer(&program[0]),
		license: unsafe.Pointer(&license[0])}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&load)), unsafe.Sizeof(load))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
