// Package object manages the lifetimes of the objects of a library: which object was made from which, which calls use an object
// now, and in what order objects may be closed.
//
// A handle (a PD, an MR) contains one Node. A node knows its parents: usually one, sometimes several, as a region over device
// memory has its protection domain and the device memory. From Init until its Close has succeeded, its parents keep the handle
// reachable; a node without parents is kept by this package. An object that the user forgot therefore stays open, and the Close of
// its parent names it. No finalizer closes anything.
//
// The package must not know a verb, a kind of object or C. It needs neither cgo nor Linux. All methods may be called from any
// number of goroutines.
package object
