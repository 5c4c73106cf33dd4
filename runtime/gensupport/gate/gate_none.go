//go:build !linux || !cgo

package gate

import "unsafe"

// Without C there is no call to wait for.
func barrier() error         { return nil }
func (g *Gate) inside() bool { return false }

func (g *Gate) pass(unsafe.Pointer) unsafe.Pointer { return nil }
