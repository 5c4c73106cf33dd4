#include <limits.h>
#include <stdio.h>

#include "libc/config.h"

const char *config_path(const char *path, char *to)
{
	static const struct {
		const char *folder, *variable, *below;
	} moved[] = {
		{"/etc/libibverbs.d", "CARD_DRIVERS", ""},
		{"/sys/class/infiniband", "SYSFS_PATH", "/class/infiniband"},
		{"/sys/class/infiniband_verbs", "SYSFS_PATH", "/class/infiniband_verbs"},
		{"/sys/class/misc/rdma_cm", "SYSFS_PATH", "/class/misc/rdma_cm"},
	};

	for (size_t i = 0; path && i < sizeof moved / sizeof *moved; i++) {
		const size_t n = strlen(moved[i].folder);
		const char *instead = getenv(moved[i].variable);

		if (!instead || strncmp(path, moved[i].folder, n) != 0 || (path[n] && path[n] != '/'))
			continue;
		return snprintf(to, PATH_MAX, "%s%s%s", instead, moved[i].below, path + n) < PATH_MAX ? to : path;
	}
	return path;
}
