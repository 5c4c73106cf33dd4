// Package direct calls the library without the bindings: what library and kernel answer to any arguments at all, and how C
// itself reads what the bindings read by layouts of their own.
//
// It owns a context and a protection domain of its own. It must not know the generated package. It needs cgo and Linux.
package direct

import "syscall"

// Symbols is where the functions come from.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Field is a field of a struct of C, with its value sign-extended to 64 bits.
type Field struct {
	Name  string
	Value uint64
}

// Init is struct ibv_mr_init_attr, with its mask as given.
type Init struct {
	Mask, Length, IOVA, FDOffset uint64
	Access                       uint32
	Addr                         uintptr
	FD                           int
}

// Busy is what destroying answered while something else was in the way.
type Busy struct {
	Made    syscall.Errno // of making them all
	Channel syscall.Errno // a completion channel with a completion queue
	CQ      syscall.Errno // that queue, with a queue pair
	PD      syscall.Errno // a protection domain with a queue pair and a region
	PDOfMR  syscall.Errno // the domain with the region alone
	Rest    syscall.Errno // of destroying them all in order
}
