package object

import "sync"

// Index finds handles by a number, such as the address of a C object, that identifies the object while it exists. The
// zero value is empty. All methods may be called from any number of goroutines.
type Index struct {
	mu sync.Mutex
	by map[uintptr]any
}

// Add adds a handle under a number. It replaces an older handle with this number.
func (x *Index) Add(number uintptr, handle any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == nil {
		x.by = map[uintptr]any{}
	}
	x.by[number] = handle
}

// Remove removes a handle, unless another handle has its number by now.
func (x *Index) Remove(number uintptr, handle any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by[number] == handle {
		delete(x.by, number)
	}
}

// Find returns the handle of a type with the number, or nil.
func Find[T any](x *Index, number uintptr) *T {
	h, _ := x.Find(number).(*T)
	return h
}

// Find returns the handle with the number, or nil.
func (x *Index) Find(number uintptr) any {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.by[number]
}
