// What all of this stands on: the one lock, and the names of librdmacm and of the kernel's ABI that the rest uses.
//
// Whoever compiles these files (all.c) has included declarations of libibverbs before. scm_lock guards all state.
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

#define SCM_HIDDEN __attribute__((visibility("hidden")))

enum rdma_cm_event_type {
	RDMA_CM_EVENT_ADDR_RESOLVED,
	RDMA_CM_EVENT_ADDR_ERROR,
	RDMA_CM_EVENT_ROUTE_RESOLVED,
	RDMA_CM_EVENT_ROUTE_ERROR,
	RDMA_CM_EVENT_CONNECT_REQUEST,
	RDMA_CM_EVENT_CONNECT_RESPONSE,
	RDMA_CM_EVENT_CONNECT_ERROR,
	RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED,
	RDMA_CM_EVENT_ESTABLISHED,
	RDMA_CM_EVENT_DISCONNECTED,
	RDMA_CM_EVENT_DEVICE_REMOVAL,
	RDMA_CM_EVENT_MULTICAST_JOIN,
	RDMA_CM_EVENT_MULTICAST_ERROR,
	RDMA_CM_EVENT_ADDR_CHANGE,
	RDMA_CM_EVENT_TIMEWAIT_EXIT,
	RDMA_CM_EVENT_ADDRINFO_RESOLVED,
	RDMA_CM_EVENT_ADDRINFO_ERROR,
	RDMA_CM_EVENT_USER,
	RDMA_CM_EVENT_INTERNAL
};

#ifndef RDMA_USER_CM_H // which has these too
enum { RDMA_PS_IPOIB = 0x0002, RDMA_PS_TCP = 0x0106, RDMA_PS_UDP = 0x0111, RDMA_PS_IB = 0x013F };

// Levels and names of rdma_set_option.
enum { RDMA_OPTION_ID, RDMA_OPTION_IB };
enum { RDMA_OPTION_ID_TOS, RDMA_OPTION_ID_REUSEADDR, RDMA_OPTION_ID_AFONLY, RDMA_OPTION_ID_ACK_TIMEOUT };
enum { RDMA_OPTION_IB_PATH = 1 };
#endif

extern pthread_mutex_t scm_lock SCM_HIDDEN;

// scm_lock_forked gives the lock back in the child of a fork, which is no thread that took it.
SCM_HIDDEN void scm_lock_forked(void);

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

// SCM_LOCKED has the lock from here to the end of the block.
#define SCM_LOCKED const int scm_locked __attribute__((cleanup(scm_end_locked), unused)) = scm_begin_locked()

static inline int scm_begin_locked(void)
{
	scm_lock_all();
	return 0;
}

static inline void scm_end_locked(const int *unused)
{
	(void)unused;
	scm_unlock_all();
}

#endif
