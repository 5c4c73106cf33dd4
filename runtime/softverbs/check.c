//go:build linux && cgo

// What the kernel checks before it registers memory (6.12; errno for errno).
#include <unistd.h>

#include "kernel.h"

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
