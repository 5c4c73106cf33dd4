// Package devmem copies to and from device memory, as ibv_memcpy_to_dm and ibv_memcpy_from_dm do in C (ibv_alloc_dm(3)), at the
// speed of C.
//
// It owns the type DM, which generated code embeds by value, the choice of how to reach the bytes, and the checks before each
// copy. It must not know how device memory is allocated, registered or freed, nor any generated package: it gets a struct ibv_dm and
// does not touch it after End.
//
// # Modes
//
// Attach chooses the mode once. In mode Direct4 the provider has said where the memory is mapped (mlx5dv_init_obj of an mlx5
// provider), and Go copies the bytes in accesses of four bytes, as the provider does. In mode Shim each copy is one call of the
// provider's own C function. In mode Refused these functions cannot be trusted, and each copy returns the reason.
//
// DM.Wide has the same copies with wider accesses, for programs that know that their device takes them.
//
// # Trust
//
// The functions of a provider are called only when both are set and both point into the code of the loaded object that also has the
// context's op alloc_dm: the provider that made the object. Neither the name of the device nor a comparison with NULL is enough. One
// provider (MANA) leaves the functions uninitialised, so it is refused by its exported symbols and its file name; device memory of
// kind SW_ICM has no such functions.
//
// # Close during use
//
// Copies may run concurrently with each other and with End, and take no lock. In mode Shim a copy goes through a gate (package gate).
// In mode Direct4 it checks the length in assembly code, where a goroutine is not preempted: End sets the length to 0 and stops the
// world once; after that no copy can be between its check and its last access. A long copy is made in parts. A part that finds the
// memory closed ends the copy with os.ErrClosed.
//
// # Rules of use
//
// Only an aligned unit of four bytes is always written as a whole. Written bytes may stay in write-combining buffers: call Flush after
// the last write and before you inform anybody about it.
package devmem
