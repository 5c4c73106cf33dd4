// Package object manages the lifetimes of the objects of a library: which object was made from which, which calls use an object
// now, and in what order objects may be closed.
//
// A handle (a PD, an MR) of a generated package contains one Handle, and that a Node. A node knows its parents: usually one, sometimes
// several, as a region over device memory has its protection domain and the device memory. From Init until its Close has succeeded,
// its parents keep the handle reachable; a node without parents is kept by this package. An object that the user forgot therefore stays
// open, and the Close of its parent names it. No finalizer closes anything.
//
// A handle that was copied by value (c := *cq) is refused: the copy has its Node at another address than the one that was opened. All
// its methods return an error that says so (fail.Copied).
//
// The package must not know a verb or a kind of object, and follows no address of C. It needs neither cgo nor Linux. All methods may
// be called from any number of goroutines.
package object
