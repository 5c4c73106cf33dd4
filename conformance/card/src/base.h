// What every layer uses: the one lock, the log, the devices.
#ifndef CARD_BASE_H
#define CARD_BASE_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define OF(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

// within reports whether length bytes at offset lie in size bytes: the sum of what a program passes may not fit.
static inline bool within(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

// Numbers in network order, at any address.
static inline uint16_t be16_at(const void *at)
{
	const uint8_t *p = at;

	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32_at(const void *at)
{
	return (uint32_t)be16_at(at) << 16 | be16_at((const uint8_t *)at + 2);
}

static inline uint64_t be64_at(const void *at)
{
	return (uint64_t)be32_at(at) << 32 | be32_at((const uint8_t *)at + 4);
}

enum { PAGE = 4096, DEVICES = 16 }; // DEVICES: at most

struct provider;

// A device of this process: /dev/infiniband/uverbsN of a name of its provider.
struct device {
	int index;
	const struct provider *provider;
	int infiniband;   // its port, which is one of Ethernet otherwise
	int no_memory;    // that programs can allocate
	uint32_t part;    // number of the model
	uint32_t fw[3];   // version of the firmware
	uint32_t speed;   // of a lane, as port attributes have it
	int gids[4];      // where the GIDs are in the table; below 0: not there
};

extern struct device devices[DEVICES] HIDDEN;
extern int ndevices HIDDEN;

// lock guards all state of the layers below the C library.
extern pthread_mutex_t lock HIDDEN;

// forked_away reports whether this is a child of vfork, which has the memory of its parent and other descriptors.
bool forked_away(void) HIDDEN;

// own_process has a child of fork be the process of this memory.
void own_process(void) HIDDEN;

// fd_stat is fstat, which is interposed. fd_any reports whether f holds for a descriptor of this process, or nobody knows.
struct stat;
bool fd_stat(int fd, struct stat *) HIDDEN;
bool fd_any(bool (*f)(int fd, const void *arg), const void *arg) HIDDEN;

// byte_lock locks a byte of a file, or asks for its lock: F_SETLK, F_GETLK or an OFD command. It returns the type of lock that is found
// and, unless holder is NULL, whose it is; or -1.
int byte_lock(int file, int byte, int command, short type, pid_t *holder) HIDDEN;

// pipe_new makes a pipe that is closed by exec. It returns the end to read; *in is the other, and *out a copy of what it returns.
int pipe_new(int *in, int *out) HIDDEN;

// thread_new starts a thread that takes no signals, which are for the program's own.
int thread_new(void *(*run)(void *)) HIDDEN;

// command_run runs f, a command, with arg, and returns its error. refuse ends the command of this thread with an error, from wherever it is;
// refuse_if does so if a condition holds, and check if there is an error.
int command_run(void (*f)(void *), void *arg) HIDDEN;
_Noreturn void refuse(int err) HIDDEN;

static inline void refuse_if(bool refused, int err)
{
	if (refused)
		refuse(err);
}

static inline void check(int err)
{
	refuse_if(err, err);
}

// now is the time of the device's clock, in ns.
uint64_t now(void) HIDDEN;

// note writes a line to the file that CARD_LOG names, if it is set.
void note(const char *format, ...) HIDDEN __attribute__((format(printf, 1, 2)));

#endif
