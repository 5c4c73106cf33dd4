//go:build linux && cgo

// What of the memory of this process can be reached, and copies that fail where a plain one would fault.
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host.h"

// Requests of madvise that older C libraries do not name.
#define POPULATE_READ 22
#define POPULATE_WRITE 23
// Bytes. Of a larger range a program may well use no more than a part, so its memory is not spent, and the table is no slower.
#define FAULT_IN (256u << 10)

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

// fault_in has the kernel fault the pages in with the right that is wanted, as it does when it pins them. EFAULT says that an access ends
// the program, as behind the end of a file that is mapped. Any other errno says nothing: Linux before 5.14 does not know the request, and
// there are mappings that it does not serve.
static int fault_in(uintptr_t addr, uint64_t length, bool write)
{
	const uintptr_t from = addr & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

	if (length > FAULT_IN)
		return E2BIG;
	return madvise((void *)from, addr - from + length, write ? POPULATE_WRITE : POPULATE_READ) ? errno : 0;
}

// special reports whether the kernel pins no page of memory that may be read or written: that of a device, and the kernel's own ([vvar]).
// It does not fault such memory in either (mm/gup.c, check_vma_flags); a kernel that does not know the request faults none in.
static bool special(int err)
{
	static const char known = 1;

	return err == EINVAL && !fault_in((uintptr_t)&known, 1, false);
}

// table_covers reads /proc/self/maps, which costs tens of microseconds. The table may change while it is read: then a
// line can come twice or grown, but memory that stays mapped is always covered, in ascending order. The last page of each mapping is
// faulted in: a file that ends within the mapping has none there.
static bool table_covers(uintptr_t addr, uint64_t length, bool write)
{
	struct maps m = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
	uint64_t need = addr, end = addr + length, from, to;
	char line[128], *rest;
	int err;

	if (m.fd < 0)
		return true; // no way to know
	while (need < end && next_line(&m, line, sizeof line)) {
		from = strtoull(line, &rest, 16);
		if (*rest != '-')
			continue;
		to = strtoull(rest + 1, &rest, 16);
		if (*rest != ' ' || to <= need)
			continue;
		if (from > need || rest[1] != 'r' || (write && rest[2] != 'w'))
			break;
		err = fault_in((to < end ? to : end) - 1, 1, write);
		if (err == EFAULT || special(err))
			break;
		need = to;
	}
	close(m.fd);
	return need >= end;
}

bool svb_mapped(uintptr_t addr, uint64_t length, bool write)
{
	const int err = fault_in(addr, length, write);

	return !err || (err != EFAULT && table_covers(addr, length, write));
}

bool svb_readable(uintptr_t addr, uint64_t length)
{
	char bytes[16];

	return length <= sizeof bytes && svb_copy_host((char *)addr, bytes, length, false);
}

// Without process_vm_readv(2), bytes go through a pipe: write(2) and read(2) report memory that is gone too. A mapping may go at any time,
// so to look whether it is there and then to copy would end the process now and then.
static bool copy_by_pipe(char *at, char *buf, uint64_t n, bool to_host)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int ends[2] = {-1, -1};
	ssize_t in, out;

	pthread_mutex_lock(&lock);
	while (n) {
		if (ends[0] < 0 && pipe2(ends, O_CLOEXEC))
			break;
		in = write(ends[1], to_host ? buf : at, n < PIPE_BUF ? n : PIPE_BUF); // as many bytes never wait
		out = in > 0 ? read(ends[0], to_host ? at : buf, (size_t)in) : 0;
		if (in <= 0 || out != in) { // what is left in the pipe must not reach the next copy
			close(ends[0]);
			close(ends[1]);
			ends[0] = -1;
			break;
		}
		at += in;
		buf += in;
		n -= (uint64_t)in;
	}
	pthread_mutex_unlock(&lock);
	return !n;
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
		if (done < 0 && (errno == EPERM || errno == ENOSYS)) // a sandbox that forbids it
			return copy_by_pipe(at, buf, n, write);
		if (done <= 0)
			return false;
		at += done;
		buf = (char *)buf + done;
		n -= (uint64_t)done;
	}
	return true;
}
