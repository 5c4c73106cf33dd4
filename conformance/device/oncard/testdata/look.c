// Looks for a device in /sys and /dev by the calls that UCX and the MPIs use, not those of libibverbs.
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICE "/sys/class/infiniband/mlx5_0"

static int named(const struct dirent *e)
{
	return !strcmp(e->d_name, "mlx5_0");
}

static int fail(const char *call)
{
	perror(call);
	return 1;
}

int main(void)
{
	char path[PATH_MAX], line[64];
	struct dirent **list;
	struct stat st;
	FILE *f;

	if (access("/dev/infiniband/uverbs0", R_OK | W_OK) || access(DEVICE "/device/numa_node", R_OK))
		return fail("access");
	if (lstat(DEVICE, &st) || !S_ISLNK(st.st_mode) || readlink(DEVICE, path, sizeof path) < 1)
		return fail("readlink");
	if (scandir("/sys/class/infiniband", &list, named, alphasort) != 1)
		return fail("scandir");
	f = fopen64(DEVICE "/ports/1/counters/port_rcv_data", "r");
	if (!f || !fgets(line, sizeof line, f) || strcmp(line, "0\n"))
		return fail("fopen64");
	if (!realpath(DEVICE "/device", path))
		return fail("realpath");
	puts(strrchr(path, '/') + 1);
	return 0;
}
