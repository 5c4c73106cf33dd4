// The devices of this process, the lock, the clock, the log.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"
#include "uverbs/provider.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct device devices[DEVICES];
static int log_fd = -1;

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void note(const char *format, ...)
{
	va_list args;

	if (log_fd < 0)
		return;
	va_start(args, format);
	vdprintf(log_fd, format, args);
	va_end(args);
}

__attribute__((constructor)) static void start(void)
{
	const char *file = getenv("CARD_LOG");

	if (file)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	for (int i = 0; i < DEVICES; i++) {
		devices[i] = (struct device){.index = i, .provider = &mlx5, .memfd = -1};
		if (devices[i].provider->start(&devices[i]))
			abort();
	}
}
