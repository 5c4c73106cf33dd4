//go:build linux && cgo

// Event channels, and the names of events.
#include <sys/eventfd.h>
#include <unistd.h>

#include "entry.h"

struct rdma_event_channel *scm_rdma_create_event_channel(int slot)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);
	int err = m ? scm_fails(m, SCM_V_CREATE_EVENT_CHANNEL) : ENODEV;
	struct lib_channel *ch = err ? NULL : calloc(1, sizeof *ch);

	if (!err && !ch)
		err = ENOMEM;
	if (ch && (ch->pub.fd = ch->k.in = ch->k.out = eventfd(0, EFD_CLOEXEC)) < 0)
		err = errno;
	if (err) {
		free(ch);
		errno = err;
		return NULL;
	}
	ch->k.m = &m->k;
	STAILQ_INIT(&ch->k.events);
	LIST_INIT(&ch->k.ids);
	LIST_INSERT_HEAD(&m->k.channels, &ch->k, link);
	return &ch->pub;
}

// The kernel ends the identifiers that are left behind; what the library has of them stays, as does the channel while there are any.
void scm_rdma_destroy_event_channel(struct rdma_event_channel *pub)
{
	struct lib_channel *ch = SCM_CHANNEL(pub);
	struct scm_id *id;
	SCM_LOCKED;

	LIST_FOREACH(id, &ch->k.ids, in_channel)
		scm_events_drop(id, NULL);
	LIST_FOREACH(id, &ch->k.ids, in_channel)
		scm_id_removed(id);
	LIST_FOREACH(id, &ch->k.ids, in_channel)
		scm_events_drop(id, NULL);
	ch->k.ended = true;
	close(pub->fd);
	LIST_REMOVE(&ch->k, link);
	if (LIST_EMPTY(&ch->k.ids))
		free(ch);
}

const char *scm_rdma_event_str(enum rdma_cm_event_type event)
{
	switch (event) {
#define NAME(n) case n: return #n;
	NAME(RDMA_CM_EVENT_ADDR_RESOLVED)
	NAME(RDMA_CM_EVENT_ADDR_ERROR)
	NAME(RDMA_CM_EVENT_ROUTE_RESOLVED)
	NAME(RDMA_CM_EVENT_ROUTE_ERROR)
	NAME(RDMA_CM_EVENT_CONNECT_REQUEST)
	NAME(RDMA_CM_EVENT_CONNECT_RESPONSE)
	NAME(RDMA_CM_EVENT_CONNECT_ERROR)
	NAME(RDMA_CM_EVENT_UNREACHABLE)
	NAME(RDMA_CM_EVENT_REJECTED)
	NAME(RDMA_CM_EVENT_ESTABLISHED)
	NAME(RDMA_CM_EVENT_DISCONNECTED)
	NAME(RDMA_CM_EVENT_DEVICE_REMOVAL)
	NAME(RDMA_CM_EVENT_MULTICAST_JOIN)
	NAME(RDMA_CM_EVENT_MULTICAST_ERROR)
	NAME(RDMA_CM_EVENT_ADDR_CHANGE)
	NAME(RDMA_CM_EVENT_TIMEWAIT_EXIT)
	NAME(RDMA_CM_EVENT_ADDRINFO_RESOLVED)
	NAME(RDMA_CM_EVENT_ADDRINFO_ERROR)
#undef NAME
	default:
		return "UNKNOWN EVENT";
	}
}
