// Package poll lets goroutines wait for what comes on a file of C, on Go's poller: a goroutine that waits holds no thread.
//
// It must not know what comes, nor how it is taken.
package poll
