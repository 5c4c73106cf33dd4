#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uverbs/event.h"
#include "wire/wire.h"

static const volatile struct fault none[DEVICES], *shown = none;
static struct fault told[DEVICES];

__attribute__((constructor)) static void start(void)
{
	const char *dir = getenv("CARD_WIRE");
	char path[PATH_MAX];
	void *at = MAP_FAILED;
	int file = -1;

	if (dir && *dir && snprintf(path, sizeof path, "%s/devices/faults", dir) < PATH_MAX)
		file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		at = (void *)syscall(SYS_mmap, NULL, sizeof none, PROT_READ, MAP_SHARED, file, 0);
		syscall(SYS_close, file);
	}
	if (at != MAP_FAILED)
		shown = at;
}

struct fault fault_of(const struct device *dev)
{
	return shown[dev->index];
}

bool fault_cuts(const struct device *dev)
{
	const struct fault f = fault_of(dev);

	return f.down || f.removed;
}

bool fault_loses(const struct device *dev)
{
	static uint64_t seed = 0x9e3779b97f4a7c15u; // xorshift64, under the lock
	const uint32_t lost = fault_of(dev).lost;

	if (fault_cuts(dev))
		return true;
	if (!lost)
		return false;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % 1000000 < lost;
}

static void tell(struct context *c)
{
	const struct device *dev = c->dev;
	const struct fault now = fault_of(dev), *before = &told[dev->index];

	if (now.down != before->down)
		event_device(c, now.down ? IBV_EVENT_PORT_ERR : IBV_EVENT_PORT_ACTIVE, 1);
	if (now.removed && !before->removed)
		event_device(c, IBV_EVENT_DEVICE_FATAL, 0);
}

void fault_tell(void)
{
	context_each(tell);
	for (int i = 0; i < ndevices; i++)
		told[i] = fault_of(&devices[i]);
}
