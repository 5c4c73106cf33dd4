#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "wire/copy.h"
#include "wire/key.h"

static bool one(uint8_t *to, const uint8_t *from, uint64_t length);

static bool zeros(uint8_t *to, uint64_t length)
{
	static const uint8_t none[16 * PAGE];
	uint64_t done = 0;

	while (done < length && one(to + done, none, MIN(length - done, sizeof none)))
		done += MIN(length - done, sizeof none);
	return done >= length;
}

// place returns where byte off of a piece lies.
static uint8_t *place(const struct piece *p, uint64_t off)
{
	return p->memory == key_nowhere ? key_nowhere : p->memory + off;
}

// one copies by the kernel, which reports memory that is gone where memcpy would end the process.
static bool one(uint8_t *to, const uint8_t *from, uint64_t length)
{
	const struct iovec local = {to, length}, remote = {(void *)(uintptr_t)from, length};

	if (to == key_nowhere)
		return true;
	if (from == key_nowhere)
		return zeros(to, length);
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
			if (!one(place(&to[i], at), place(&from[k], done), n))
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

void copy_cut(struct piece *all, int *n, uint64_t length)
{
	int k = 0;

	while (k < *n && length) {
		all[k].length = (uint32_t)MIN(all[k].length, length);
		length -= all[k++].length;
	}
	*n = k;
}
