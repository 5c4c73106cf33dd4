//go:build linux && cgo

// Event channels, and the names of events.
#include <sys/eventfd.h>
#include <unistd.h>

#include "entry.h"

struct rdma_event_channel *scm_rdma_create_event_channel(int slot)
{
	struct scm_channel *ch = calloc(1, sizeof *ch);
	struct scm_machine *m;
	int err = ch ? 0 : ENOMEM;

	if (ch)
		ch->pub.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (ch && ch->pub.fd < 0)
		err = errno;
	scm_lock_all();
	m = scm_slot(slot);
	if (!err)
		err = m ? scm_fails(m, SCM_V_CREATE_EVENT_CHANNEL) : ENODEV;
	if (!err) {
		ch->m = m;
		STAILQ_INIT(&ch->events);
		LIST_INIT(&ch->ids);
		LIST_INSERT_HEAD(&m->channels, ch, link);
	}
	scm_unlock_all();
	if (!err)
		return &ch->pub;
	if (ch && ch->pub.fd >= 0)
		close(ch->pub.fd);
	free(ch);
	errno = err;
	return NULL;
}

// The kernel ends the identifiers that are left behind; what the library has of them stays, as does the channel while there are any.
void scm_rdma_destroy_event_channel(struct rdma_event_channel *pub)
{
	struct scm_channel *ch = SCM_CHANNEL(pub);
	struct scm_id *id;

	scm_lock_all();
	LIST_FOREACH(id, &ch->ids, in_channel)
		scm_events_drop(id, NULL);
	LIST_FOREACH(id, &ch->ids, in_channel)
		scm_id_removed(id);
	LIST_FOREACH(id, &ch->ids, in_channel)
		scm_events_drop(id, NULL);
	ch->ended = true;
	close(pub->fd);
	LIST_REMOVE(ch, link);
	if (LIST_EMPTY(&ch->ids))
		free(ch);
	scm_unlock_all();
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
