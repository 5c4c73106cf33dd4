//go:build linux && cgo

// The making and the end of identifiers, and their options.
#include "kernel.h"

#define PATH_DATA 88 // struct ib_path_rec_data
#define PATH_FLAGS 43 // of the one path that is taken: for messages, primary, both ways

struct scm_id *scm_id_new(struct scm_channel *ch, enum rdma_port_space ps, enum ibv_qp_type type)
{
	struct scm_id *id = calloc(1, sizeof *id);

	if (!id)
		return NULL;
	id->m = ch->m;
	id->ch = ch;
	id->ps = id->pub.ps = ps;
	id->qp_type = id->pub.qp_type = type;
	id->pub.channel = &ch->pub;
	id->told = true;
	id->psn = scm_random(id->m) & 0xffffff;
	id->m->nids++;
	LIST_INIT(&id->groups);
	LIST_INSERT_HEAD(&ch->ids, id, in_channel);
	return id;
}

static void leave_all(struct scm_id *id)
{
	struct scm_group *g;

	while ((g = LIST_FIRST(&id->groups))) {
		scm_leave(g);
		free(g);
	}
}

static void release(struct scm_id *id)
{
	scm_timer_stop(id->m, &id->timer);
	if (id->has_cm)
		scm_cm_end(id);
	if (id->dev)
		LIST_REMOVE(id, in_dev);
	id->dev = NULL;
	scm_port_give(id);
}

// rdma_destroy_id of cma.c, and ucma_destroy_id
void scm_id_end(struct scm_id *id)
{
	release(id);
	leave_all(id);
	scm_events_drop(id, NULL);
	LIST_REMOVE(id, in_channel);
}

void scm_id_free(struct scm_id *id)
{
	id->m->nids--;
	free(id->pub.route.path_rec);
	free(id);
}

// cma_send_device_removal_put and ucma_close_id: the event comes first, and the kernel keeps nothing of the identifier
void scm_id_removed(struct scm_id *id)
{
	id->state = SCM_REMOVED;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0));
	release(id);
}

static int set_number(struct scm_id *id, int name, int to)
{
	if (name == RDMA_OPTION_ID_REUSEADDR) {
		if (!((to && id->state != SCM_LISTEN) || id->state == SCM_IDLE))
			return EINVAL;
		id->reuse = to;
		return 0;
	}
	if (id->state != SCM_IDLE && id->state != SCM_ADDR_BOUND)
		return EINVAL;
	id->afonly_set = true;
	id->afonly = to;
	return 0;
}

int scm_set_option_id(struct scm_id *id, int name, const void *value, size_t len)
{
	int number;

	switch (name) {
	case RDMA_OPTION_ID_TOS:
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (len != 1 || (name == RDMA_OPTION_ID_ACK_TIMEOUT && id->qp_type != IBV_QPT_RC))
			return EINVAL;
		if (name == RDMA_OPTION_ID_TOS) {
			id->tos = *(const uint8_t *)value;
			return 0;
		}
		id->timeout = *(const uint8_t *)value;
		id->timeout_set = true;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
	case RDMA_OPTION_ID_AFONLY:
		if (len != sizeof number)
			return EINVAL;
		memcpy(&number, value, sizeof number);
		return set_number(id, name, number);
	default:
		return ENOSYS;
	}
}

// ucma_set_ib_path: the addresses of the path are those of the identifier in any case
int scm_set_option_ib(struct scm_id *id, int name, const void *value, size_t len)
{
	uint32_t flags = 0;
	size_t at;

	if (name != RDMA_OPTION_IB_PATH)
		return ENOSYS;
	for (at = 0; len % PATH_DATA == 0 && at < len && flags != PATH_FLAGS; at += PATH_DATA)
		memcpy(&flags, (const char *)value + at, sizeof flags);
	if (flags != PATH_FLAGS || !id->dev || id->state != SCM_ADDR_RESOLVED)
		return EINVAL;
	id->state = SCM_ROUTE_RESOLVED;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0));
	return 0;
}
