//go:build cgo

package goheap

import (
	"reflect"
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// opaque is a type of C as far as the runtime knows: its values never lie in Go's heap, and pointers to it are no
// pointers to the collector. So a *opaque may hold any number without harm.
type opaque struct{ _ cgo.Incomplete }

// inHeapOrStack asks package reflect, which refuses a pointer to such a type when the runtime has ever had the address
// in its heap, stacks and unused parts included (go.dev/issue/48399).
func inHeapOrStack(addr uintptr) bool { return reflectKnows() && refused(addr) }

// reflectKnows tries the question on an address whose answer is known.
var reflectKnows = sync.OnceValue(func() bool {
	var pin runtime.Pinner
	defer pin.Unpin()
	b := new([64]byte)
	pin.Pin(b) // on the heap, not on the stack
	return refused(uintptr(unsafe.Pointer(b)))
})

func refused(addr uintptr) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = true
		}
	}()
	var p *opaque
	*(*uintptr)(unsafe.Pointer(&p)) = addr
	reflect.ValueOf(&p).Elem().Pointer()
	return false
}
