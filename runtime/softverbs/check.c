//go:build linux && cgo

// What the kernel checks before it registers memory (6.12; errno for errno).
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "svb.h"

#define FLUSH_GLOBAL_CAP (1ull << 38)
#define FLUSH_PERSISTENT_CAP (1ull << 39)
#define OPTIONAL 0x3ff00000u // bits 20-29: a kernel ignores those that it does not know
#define KNOWN (0x3ffu | OPTIONAL)
#define WRITABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

int svb_check_access(const struct svb_dev *d, uint32_t access)
{
	if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (access & (~KNOWN | d->cfg.mr_unknown))
		return EINVAL;
	if ((access & IBV_ACCESS_ON_DEMAND) && !(d->cfg.odp_general & IBV_ODP_SUPPORT))
		return EOPNOTSUPP;
	if ((access & IBV_ACCESS_FLUSH_GLOBAL) && !(d->cfg.cap_flags & FLUSH_GLOBAL_CAP))
		return EOPNOTSUPP;
	if ((access & IBV_ACCESS_FLUSH_PERSISTENT) && !(d->cfg.cap_flags & FLUSH_PERSISTENT_CAP))
		return EOPNOTSUPP;
	return 0;
}

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

int svb_check_host(const struct svb_dev *d, uintptr_t addr, uint64_t length, uint32_t access)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (access & d->cfg.mr_refused & ~(access & IBV_ACCESS_ON_DEMAND ? (uint32_t)IBV_ACCESS_HUGETLB : 0))
		return EOPNOTSUPP;
	if (length == 0 || length > d->cfg.max_mr_size || addr + length < addr || addr + length > UINT64_MAX - page)
		return EINVAL;
	if (access & IBV_ACCESS_ON_DEMAND)
		return 0;
	if ((addr % page + length + page - 1) / page > UINT32_MAX) // how the kernel counts pages
		return EINVAL;
	return svb_mapped(addr, length, access & WRITABLE) ? 0 : EFAULT;
}
