// Package card runs programs on the real libibverbs and libmlx5 of this machine without an RDMA card: a library that LD_PRELOAD puts
// before the C library emulates the kernel's half of the driver, and the card. It needs no root, no network and no file in /dev.
//
// It owns the C code in src, which it compiles with gcc, and the folder that programs read in place of /sys. It must not know what
// programs do. docs/card.md says which parts of an answer are real.
//
// Each folder of src emulates one part. TestLayers of conformance/device/oncard checks that only a provider includes a provider's headers:
//
//   - libc: open, stat, access, close, ioctl, mmap, socket and others where they concern a device, and fork. It knows no commands.
//   - cm: the commands of /dev/infiniband/rdma_cm. runtime/softcm/kernel carries them out, as it does for the software librdmacm. The
//     processes of a folder share a table of ports and send each other messages through FIFOs. It knows no providers.
//   - uverbs: ib_core and ib_uverbs: attributes, handles, verbs, events. It knows no providers. runtime/softverbs/shared, which the
//     software device has too, decides which states a queue pair reaches, and which frames a flow matches.
//   - wire: memory keys, requests, receives, other processes, and the thread that carries requests out. It knows no commands.
//   - mlx5 and efa: what the kernel's drivers add to commands, doorbell pages, and the form of queues in memory. all.c has the files of
//     each.
//
// An open device is a memfd, so the inode of a copied descriptor finds it. A page lies at the offset by which libmlx5 maps it, so that
// programs that replace mmap reach the page too. What all processes with the descriptor must know of its objects is behind the pages. An
// event channel is a pipe. The folder of the card has a file with the numbers of all queue pairs, and with messages of up to 64 KiB, as
// many at a time as a transfer needs.
package card
