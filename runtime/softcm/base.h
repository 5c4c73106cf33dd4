// What all of this stands on: the declarations of both libraries, and the one lock.
//
// scm_lock guards all state of the kernel's half, which is everything but the public struct of an identifier. No function of the
// verbs library that can wait is called with it.
#ifndef SCM_BASE_H
#define SCM_BASE_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "abi.h"

#define SCM_HIDDEN __attribute__((visibility("hidden")))

extern pthread_mutex_t scm_lock SCM_HIDDEN;
extern pthread_cond_t scm_acked SCM_HIDDEN; // an event was acknowledged

static inline void scm_lock_all(void)
{
	if (pthread_mutex_lock(&scm_lock))
		abort();
}

static inline void scm_unlock_all(void)
{
	if (pthread_mutex_unlock(&scm_lock))
		abort();
}

// scm_answer returns what a function of librdmacm does for an errno: 0, or -1 with errno set.
static inline int scm_answer(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

#endif
