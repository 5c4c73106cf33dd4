//go:build !race

package lazy

// Written is for the race detector.
func Written[T any]([]T) {}
