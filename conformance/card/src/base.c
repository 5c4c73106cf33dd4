// The devices of this process, the lock, the clock, the log.
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"
#include "uverbs/provider.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct device devices[DEVICES];
int ndevices;
static int log_fd = -1;

static pid_t process;

bool forked_away(void)
{
	return syscall(SYS_getpid) != process;
}

void own_process(void)
{
	process = (pid_t)syscall(SYS_getpid);
}

bool fd_stat(int fd, struct stat *st)
{
	return !syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

bool fd_any(bool (*f)(int fd, const void *arg), const void *arg)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *e;
	bool found = !dir;

	while (dir && !found && (e = readdir(dir)))
		found = e->d_name[0] != '.' && f(atoi(e->d_name), arg);
	if (dir)
		closedir(dir);
	return found;
}

int byte_lock(int file, int byte, int command, short type, pid_t *holder)
{
	struct flock f = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int err;

	do
		err = (int)syscall(SYS_fcntl, file, command, &f);
	while (err && errno == EINTR);
	if (holder)
		*holder = f.l_pid;
	return err ? -1 : f.l_type;
}

int pipe_new(int *in, int *out)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*in = ends[1];
	*out = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
	if (*out >= 0)
		return ends[0];
	syscall(SYS_close, ends[0]);
	syscall(SYS_close, ends[1]);
	return -1;
}

int thread_new(void *(*run)(void *))
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

static _Thread_local jmp_buf command;
static _Thread_local int error; // of the command

int command_run(void (*f)(void *), void *arg)
{
	error = 0;
	if (!setjmp(command))
		f(arg);
	return error;
}

void refuse(int err)
{
	error = err;
	longjmp(command, 1);
}

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

static const struct provider *provider_of(const char *name)
{
	static const struct provider *const all[] = {&mlx5, &efa};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

// The devices, separated by commas, are those of the tree that card.go makes; device.numbers of devices.go writes what they are.
static void start_devices(const char *names)
{
	for (char name[8]; names && *names && ndevices < DEVICES; names += *names == ',') {
		struct device *d = &devices[ndevices];
		int *const g = d->gids;
		const int n = sscanf(names, "%7[^:]:%d:%d:%u:%u:%u:%u:%u:%d:%d:%d:%d", name, &d->infiniband, &d->no_memory, &d->part,
			&d->fw[0], &d->fw[1], &d->fw[2], &d->speed, &g[0], &g[1], &g[2], &g[3]);

		d->index = ndevices;
		d->provider = n == 12 ? provider_of(name) : NULL;
		if (!d->provider || (d->provider->start && d->provider->start(d))) {
			dprintf(STDERR_FILENO, "card: device %d of %s cannot start\n", ndevices, getenv("CARD_DEVICES"));
			_exit(127);
		}
		names += strcspn(names, ",");
		ndevices++;
	}
}

__attribute__((constructor)) static void start(void)
{
	const char *file = getenv("CARD_LOG");

	own_process();
	if (file)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	start_devices(getenv("CARD_DEVICES"));
}
