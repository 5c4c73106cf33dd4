package mem

// DMABuf is a part of a dma-buf: memory of another driver, such as that of a GPU, which the kernel shares by a file descriptor. Its
// exporter makes the descriptor. Registering the part does not close it.
type DMABuf struct {
	FD     int    // descriptor of the dma-buf
	Offset uint64 // bytes of the dma-buf before the part
	Length uint64 // bytes of the part
}
