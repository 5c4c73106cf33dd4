package object

import "sync"

// Locked calls f with the lock held.
func Locked(mu *sync.Mutex, f func() error) error {
	mu.Lock()
	defer mu.Unlock()
	return f()
}
