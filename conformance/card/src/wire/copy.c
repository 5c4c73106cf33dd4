#include <sys/uio.h>
#include <unistd.h>

#include "wire/wire.h"
#include "wire/key.h"

// A place in the memory of a process, 0: this one.
struct place {
	uint8_t *at;
	pid_t process;
};

static bool one(struct place to, struct place from, uint64_t length);

// by_parts copies from nowhere, or between two other processes.
static bool by_parts(struct place to, struct place from, uint64_t length)
{
	static uint8_t part[16 * PAGE]; // under the lock
	const bool zeros = from.at == key_nowhere;

	if (zeros)
		memset(part, 0, MIN(length, sizeof part));
	for (uint64_t done = 0, n; done < length; done += n) {
		n = MIN(length - done, sizeof part);
		if ((!zeros && !one((struct place){part, 0}, (struct place){from.at + done, from.process}, n)) ||
			!one((struct place){to.at + done, to.process}, (struct place){part, 0}, n))
			return false;
	}
	return true;
}

// place returns where byte off of a piece lies.
static struct place place(const struct piece *p, uint64_t off)
{
	return (struct place){p->memory == key_nowhere ? key_nowhere : p->memory + off, p->process};
}

// one copies by the kernel, which reports memory that is gone where memcpy would end the process.
static bool one(struct place to, struct place from, uint64_t length)
{
	const struct iovec there = {from.at, length}, here = {to.at, length};

	if (to.at == key_nowhere || !length)
		return true;
	if (from.at == key_nowhere || (to.process && from.process))
		return by_parts(to, from, length);
	if (to.process)
		return process_vm_writev(to.process, &there, 1, &here, 1, 0) == (ssize_t)length;
	return process_vm_readv(from.process ? from.process : getpid(), &here, 1, &there, 1, 0) == (ssize_t)length;
}

bool copy_pieces(const struct piece *to, int nto, uint64_t skip, const struct piece *from, int nfrom, uint64_t length)
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

void copy_cut(struct piece *all, int *n, uint64_t length)
{
	int k = 0;

	while (k < *n && length) {
		all[k].length = (uint32_t)MIN(all[k].length, length);
		length -= all[k++].length;
	}
	*n = k;
}
