// Package mem provides host memory that a device may read and write: a buffer of its own outside Go's heap, and Go
// memory pinned in place.
//
// It owns mapping, pinning and the question whether an address is Go's. It must not know memory regions, verbs or
// libibverbs. Nothing here is released by a finalizer: a device may still write to memory that the program has
// forgotten, so a Buffer lives until Close and a Pin until Unpin.
//
// Buffers need Linux; elsewhere New answers an error that is errors.ErrUnsupported.
package mem
