// Memory of this process, as a device sees it: what can be reached, bytes moved by way of the kernel, and the memory that stands
// for a device's own.
#ifndef SVB_HOST_H
#define SVB_HOST_H

#include "base.h"

struct svb_mem { // device memory: shared by the handles that map it
	unsigned refs;
	char *addr, *base; // base, mapped: what munmap gets
	size_t mapped;
	uint64_t length;
	int fd;
};

// host.c
SVB_HIDDEN bool svb_mapped(uintptr_t addr, uint64_t length, bool write);
// Whether some bytes can be read at this moment: the file of a mapping may have become shorter, which older kernels do not say of it.
SVB_HIDDEN bool svb_readable(uintptr_t addr, uint64_t length);
SVB_HIDDEN bool svb_copy_host(char *at, void *buf, uint64_t n, bool write); // false: not all of it is there

// mem.c
// svb_mem_get maps length bytes at a multiple of align, which is a power of two.
SVB_HIDDEN struct svb_mem *svb_mem_get(uint64_t length, uint64_t align);
SVB_HIDDEN void svb_mem_put(struct svb_mem *m);

#endif
