// Package card runs programs on the real libibverbs and libmlx5 of this machine without an RDMA card: a library that LD_PRELOAD puts
// before the C library stands for the kernel's half of the driver and for the card. It needs no root, no network, no file in /dev.
//
// It owns the C code in src, which it compiles with gcc, and the folder that stands for /sys. It must not know what programs do.
// docs/card.md says what of an answer is real.
package card
