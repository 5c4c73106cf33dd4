// Package object keeps the lifetimes of the objects of a library: which object was made from which, who is using one
// now, and in what order they may be closed.
//
// A handle (a PD, an MR) holds one [Node]. A node knows its parents, often one, sometimes several: a region over device
// memory hangs on its protection domain and on the device memory. From Init until its Close succeeded, every parent
// keeps the handle reachable, and a node without parents is kept by this package; so what the user forgot stays open
// and is named by the Close of its parent. No finalizer closes anything.
//
// The package owns that order and nothing else. It must not know a verb, an object kind or C. It needs neither cgo nor
// Linux. All methods may be called from any number of goroutines.
package object
