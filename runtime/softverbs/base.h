// What everything here stands on: the ABI, and the one lock.
//
// svb_lock guards all state. It is not held while memory is copied or while an allocator of the caller's runs; objects
// in use then carry a count instead.
#ifndef SVB_BASE_H
#define SVB_BASE_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "../gensupport/verbs_abi.h"

#include "shared/src/shared.h"

extern pthread_mutex_t svb_lock SVB_HIDDEN;
extern pthread_cond_t svb_idle SVB_HIDDEN; // signalled when the busy count of a region or a queue pair falls to 0

// svb_lock_all takes the lock and svb_unlock_all gives it back. A thread that takes it twice, or gives back what it has not, ends the
// process: the lock knows its owner.
static inline void svb_lock_all(void)
{
	if (pthread_mutex_lock(&svb_lock))
		abort();
}

static inline void svb_unlock_all(void)
{
	if (pthread_mutex_unlock(&svb_lock))
		abort();
}

// SVB_LOCKED has the lock from here to the end of the block.
#define SVB_LOCKED const int svb_locked __attribute__((cleanup(svb_end_locked), unused)) = svb_begin_locked()

static inline int svb_begin_locked(void)
{
	svb_lock_all();
	return 0;
}

static inline void svb_end_locked(const int *unused)
{
	(void)unused;
	svb_unlock_all();
}

// SVB_SILENT is the error of a call that fails and leaves errno as it is, as some of libmlx5 do.
#define SVB_SILENT (-1)

// svb_null returns NULL, with errno.
static inline void *svb_null(int err)
{
	if (err != SVB_SILENT)
		errno = err;
	return NULL;
}

// svb_minus returns 0, or -1 with errno.
static inline int svb_minus(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

// svb_quietly starts a thread. All signals stay with the threads of Go. 0, or an errno.
SVB_HIDDEN int svb_quietly(pthread_t *thread, void *(*run)(void *), void *arg);

// svb_end gives back the lock at the end of a verb, which returns err; an error is errno too.
static inline int svb_end(int err)
{
	svb_unlock_all();
	if (err)
		errno = err;
	return err;
}

#endif
