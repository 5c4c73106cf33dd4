// Package devmem is the copy to and from device memory: what ibv_memcpy_to_dm and ibv_memcpy_from_dm are in C
// (ibv_alloc_dm(3)), at the speed of C.
//
// It owns the handle DM, which generated code embeds by value, the decision how its bytes are reached, and the checks
// before each copy. It must not know how a device memory is allocated, registered or freed, nor any generated
// package: it is given a struct ibv_dm and stays off it after End.
//
// # Modes
//
// Attach decides once. Direct4: the provider told where the memory is mapped (mlx5dv_init_obj of an mlx5 provider), and
// the bytes are moved from Go by accesses of four bytes, as the provider does it. Shim: the provider's own callback
// is called, one crossing into C for each copy. Refused: the callbacks cannot be trusted, and each copy answers why.
//
// # Trust
//
// Callbacks are called only when both are set and both point into the code of the loaded object that also holds the
// context's op alloc_dm: the provider that made the object. Neither the device's name nor a comparison with NULL is enough:
// one provider (MANA) leaves the callbacks uninitialised, so it is refused by what it exports and by its file name;
// device memory of kind SW_ICM has none.
//
// # Close during use
//
// Copies run beside each other and beside End, and take no lock. A copy by the callback goes through a gate (package gate). A direct
// copy checks the length inside the assembly, where a goroutine is not preempted: End sets the length to 0 and stops the
// world once, after which no copy can be between its check and its last access. A long copy is made in pieces, and a piece that
// finds the memory closed ends it with os.ErrClosed.
//
// # Rules of use
//
// The only unit that is never torn is an aligned granule of four bytes. Writes may rest in write-combining buffers: call Flush
// after the last one and before telling anybody about it.
package devmem
