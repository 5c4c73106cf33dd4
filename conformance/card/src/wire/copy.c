#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "wire/copy.h"

// one copies by the kernel, which reports memory that is gone where memcpy would end the process.
static bool one(uint8_t *to, const uint8_t *from, uint64_t length)
{
	const struct iovec local = {to, length}, remote = {(void *)(uintptr_t)from, length};

	return !length || process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length;
}

bool copy_pieces(struct piece *to, int nto, uint64_t skip, const struct piece *from, int nfrom, uint64_t length)
{
	uint64_t at = skip;
	int i = 0;

	for (int k = 0; k < nfrom && length; k++)
		for (uint64_t done = 0; done < from[k].length && length;) {
			uint64_t n;

			while (i < nto && at >= to[i].length)
				at -= to[i++].length;
			if (i == nto)
				return true;
			n = MIN(MIN(from[k].length - done, to[i].length - at), length);
			if (!one(to[i].memory + at, from[k].memory + done, n))
				return false;
			at += n;
			done += n;
			length -= n;
		}
	return true;
}

bool copy_reachable(uint8_t *memory, uint64_t length)
{
	uint8_t was[8];

	return length <= sizeof was && one(was, memory, length) && one(memory, was, length);
}
