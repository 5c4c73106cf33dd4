#include <limits.h>
#include <stdio.h>

#include "libc/config.h"

const char *config_path(const char *path, char *to)
{
	static const char folder[] = "/etc/libibverbs.d";
	const char *instead = getenv("CARD_DRIVERS");
	const size_t n = sizeof folder - 1;

	if (!path || !instead || strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/'))
		return path;
	return snprintf(to, PATH_MAX, "%s%s", instead, path + n) < PATH_MAX ? to : path;
}
