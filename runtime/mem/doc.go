// Package mem provides host memory that a device may read and write: a Buffer outside Go's heap, and Go memory that is pinned. A DMABuf
// describes memory of another driver.
//
// It owns mapping, pinning and the question whether an address is Go's. It must not know memory regions, verbs or libibverbs.
// Nothing here is released by a finalizer, since a device may still write to memory that the program has forgotten: a Buffer exists
// until Close, a Pin until Unpin.
//
// Buffers need Linux; elsewhere New returns an error that is errors.ErrUnsupported.
package mem
