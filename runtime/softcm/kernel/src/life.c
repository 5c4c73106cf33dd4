// The making and the end of identifiers, and their options.
#include "kernel.h"

#define PATH_DATA 88 // struct ib_path_rec_data
#define PATH_FLAGS 43 // of the one path that is taken: for messages, primary, both ways

void scm_machine_start(struct scm_machine *m)
{
	size_t i;

	LIST_INIT(&m->channels);
	TAILQ_INIT(&m->timers);
	for (i = 0; i < SCM_BUCKETS; i++)
		LIST_INIT(&m->numbers[i]);
}

// An xorshift generator.
static uint32_t random_number(struct scm_machine *m)
{
	uint32_t x = m->random ? m->random : 0x2545f491;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return m->random = x;
}

struct scm_id *scm_id_find(struct scm_machine *m, uint32_t number)
{
	struct scm_id *id;

	LIST_FOREACH(id, &m->numbers[number % SCM_BUCKETS], in_bucket)
		if (id->number == number)
			return id;
	return NULL;
}

struct scm_id *scm_id_of(struct scm_machine *m, uint32_t handle)
{
	struct scm_id *id;

	LIST_FOREACH(id, &m->numbers[handle % SCM_BUCKETS], in_bucket)
		if (id->number % SCM_HANDLES == handle)
			return id;
	return NULL;
}

struct scm_id *scm_id_new(struct scm_channel *ch, int ps, enum ibv_qp_type type)
{
	struct scm_machine *m = ch->m;
	struct scm_id *id = m->nids < SCM_HANDLES - 1 ? calloc(1, m->host->id_size) : NULL;

	if (!id)
		return NULL;
	id->m = m;
	id->ch = ch;
	id->ps = ps;
	id->qp_type = type;
	id->told = true;
	id->psn = random_number(m) & 0xffffff;
	do
		m->last = (m->last + 1) % SCM_HANDLES;
	while (!m->last || scm_id_of(m, m->last));
	id->number = random_number(m) / SCM_HANDLES * SCM_HANDLES + m->last;
	m->nids++;
	LIST_INIT(&id->groups);
	LIST_INSERT_HEAD(&m->numbers[id->number % SCM_BUCKETS], id, in_bucket);
	LIST_INSERT_HEAD(&ch->ids, id, in_channel);
	return id;
}

// forget_request takes away the event that would tell of an identifier, wherever its listener is.
static void forget_request(struct scm_id *id)
{
	struct scm_channel *ch;
	struct scm_event *e;

	LIST_FOREACH(ch, &id->m->channels, link)
		STAILQ_FOREACH(e, &ch->events, link)
			if (e->child == id) {
				scm_event_remove(ch, e);
				free(e);
				return;
			}
}

static void release(struct scm_id *id)
{
	scm_timer_stop(id);
	if (id->has_cm)
		scm_cm_end(id);
	scm_detach(id);
	scm_port_give(id);
}

// rdma_destroy_id of cma.c, and ucma_destroy_id
void scm_id_end(struct scm_id *id)
{
	release(id);
	scm_events_drop(id, NULL);
	if (id->passive && !id->told)
		forget_request(id);
	LIST_REMOVE(id, in_bucket);
}

void scm_id_free(struct scm_id *id)
{
	struct scm_group *g;

	while ((g = LIST_FIRST(&id->groups))) {
		LIST_REMOVE(g, link);
		free(g);
	}
	LIST_REMOVE(id, in_channel);
	id->m->nids--;
	free(id);
}

// cma_send_device_removal_put and ucma_close_id: the event comes first, and the kernel keeps nothing of the identifier
void scm_id_removed(struct scm_id *id)
{
	id->state = SCM_REMOVED;
	scm_event_add(scm_event_new(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0));
	release(id);
}

void scm_dev_remove(struct scm_dev *d)
{
	struct scm_id *id;

	d->gone = true;
	while ((id = LIST_FIRST(&d->ids)))
		scm_id_removed(id);
}

static int set_number(struct scm_id *id, int name, int to)
{
	if (name == RDMA_OPTION_ID_REUSEADDR) {
		if (!((to && id->state != SCM_LISTEN) || id->state == SCM_IDLE))
			return EINVAL;
		id->reuse = to;
		scm_port_tell(id);
		return 0;
	}
	if (id->state != SCM_IDLE && id->state != SCM_ADDR_BOUND)
		return EINVAL;
	id->afonly_set = true;
	id->afonly = to;
	scm_port_tell(id);
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
