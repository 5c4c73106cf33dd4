package object

import "sync"

// Index finds handles by a number that the objects behind them have as long as they are there, such as an address. Its zero
// value is empty. All methods may be called from any number of goroutines.
type Index struct {
	mu sync.Mutex
	by map[uintptr]any
}

// Add enters a handle. It takes the place of one that had the number before.
func (x *Index) Add(number uintptr, handle any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by == nil {
		x.by = map[uintptr]any{}
	}
	x.by[number] = handle
}

// Remove takes a handle out, unless another has its number by now.
func (x *Index) Remove(number uintptr, handle any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.by[number] == handle {
		delete(x.by, number)
	}
}

// Find gives the handle with a number, nil when there is none.
func (x *Index) Find(number uintptr) any {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.by[number]
}
