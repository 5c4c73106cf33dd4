// Package card runs programs on the real libibverbs and libmlx5 of this machine without an RDMA card: a library that LD_PRELOAD puts
// before the C library emulates the kernel's half of the driver, and the card. It needs no root, no network and no file in /dev.
//
// It owns the C code in src, which it compiles with gcc, and the folder that programs read in place of /sys. It must not know what
// programs do. docs/card.md says which parts of an answer are real.
package card
