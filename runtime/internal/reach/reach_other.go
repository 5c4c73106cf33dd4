//go:build !linux

package reach

// Writable reports whether memory can be written. Here it is always true: there are no devices.
func Writable(addr uintptr, length uint64) bool { return true }
