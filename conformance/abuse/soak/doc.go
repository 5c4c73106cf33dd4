// Package soak runs random operations on software devices for a while, and counts what comes of them.
//
// It owns the work: goroutines that share devices, domains and queues, connect queue pairs, move data with a checksum in it, make and
// close objects, and close everything under each other, with and without calls and requests that fail on order. Every completion is
// counted, and at the end nothing may be left. It must not know how the library or the device do any of it.
//
// What a goroutine does follows from the seed, which a failing run prints with the command that repeats it; which goroutine comes first
// does not.
package soak
