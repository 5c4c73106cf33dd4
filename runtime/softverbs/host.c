//go:build linux && cgo

// What of the memory of this process can be reached, and copies that fail where a plain one would fault.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host.h"

// One line of /proc/self/maps, of which only the front matters.
struct maps {
	int fd;
	size_t have, at;
	char buf[4096];
};

static bool next_line(struct maps *m, char *line, size_t max)
{
	size_t n = 0;
	ssize_t got;

	for (;;) {
		if (m->at == m->have) {
			got = read(m->fd, m->buf, sizeof m->buf);
			if (got <= 0)
				return false;
			m->have = (size_t)got;
			m->at = 0;
		}
		if (m->buf[m->at] == '\n') {
			m->at++;
			line[n] = 0;
			return true;
		}
		if (n + 1 < max)
			line[n++] = m->buf[m->at];
		m->at++;
	}
}

// The table may change while it is read: then a line can come twice or grown, but memory that stays
// mapped is always covered, in ascending order.
bool svb_mapped(uintptr_t addr, uint64_t length, bool write)
{
	struct maps m = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
	unsigned long from, to;
	uint64_t need = addr, end = addr + length;
	char line[128], perm[8];

	if (m.fd < 0)
		return true; // no way to know
	while (need < end && next_line(&m, line, sizeof line)) {
		if (sscanf(line, "%lx-%lx %4s", &from, &to, perm) != 3 || to <= need)
			continue;
		if (from > need || perm[0] != 'r' || (write && perm[1] != 'w'))
			break;
		need = to;
	}
	close(m.fd);
	return need >= end;
}

// The program may have unmapped what it registered. A device would go on with the pinned pages; we must
// not fault, so memory of the program is reached through the kernel.
bool svb_copy_host(char *at, void *buf, uint64_t n, bool write)
{
	struct iovec local, remote;
	ssize_t done;

	while (n) {
		local = (struct iovec){.iov_base = buf, .iov_len = n};
		remote = (struct iovec){.iov_base = at, .iov_len = n};
		done = write ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0) :
			       process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
		if (done < 0 && (errno == EPERM || errno == ENOSYS)) { // a sandbox that forbids it
			if (!svb_mapped((uintptr_t)at, n, write))
				return false;
			memcpy(write ? at : buf, write ? buf : at, n);
			return true;
		}
		if (done <= 0)
			return false;
		at += done;
		buf = (char *)buf + done;
		n -= (uint64_t)done;
	}
	return true;
}
