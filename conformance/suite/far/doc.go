// Package far is the seam between the device under test and the other end of its connections.
//
// It owns what an end is (one queue pair with a window of memory, told what to do in plain data, so that it may as well stand
// on another machine), how ends find each other, and the end that stands on a device of this machine. It must not know cases,
// reports, or how an end on another machine is spoken to.
package far
