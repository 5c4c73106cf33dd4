//go:build linux && cgo

// The ports of each port space, and who has them (cma_get_port and what it calls in cma.c).
#include "kernel.h"

#define FIRST_PORT 32768
#define LAST_PORT 60999

static struct scm_bucket *bucket(struct scm_machine *m, uint16_t port)
{
	return &m->bound[port % SCM_BUCKETS];
}

static bool at(const struct scm_id *id, enum rdma_port_space ps, uint16_t port)
{
	return id->ps == ps && scm_port_of(&id->src) == port;
}

static void own(struct scm_id *id, uint16_t port)
{
	scm_set_port(&id->src, port);
	LIST_INSERT_HEAD(bucket(id->m, port), id, in_bucket);
	id->bound = true;
}

// check_port: may an identifier share its port with those that have it?
static int check_port(const struct scm_id *id, bool reuse)
{
	const struct scm_id *other;
	const uint16_t port = scm_port_of(&id->src);

	LIST_FOREACH(other, bucket(id->m, port), in_bucket) {
		if (other == id || !at(other, id->ps, port) || (reuse && other->reuse))
			continue;
		if (id->afonly && other->afonly && id->src.ss_family != other->src.ss_family)
			continue;
		if (scm_any(&id->src) || scm_any(&other->src))
			return EADDRNOTAVAIL;
		if (scm_same_ip(&id->src, &other->src))
			return EADDRINUSE;
	}
	return 0;
}

// is_unique: cma_port_is_unique, of a port that is chosen for an identifier
static bool is_unique(const struct scm_id *id, uint16_t port)
{
	const struct scm_id *other;

	LIST_FOREACH(other, bucket(id->m, port), in_bucket) {
		if (!at(other, id->ps, port))
			continue;
		if (scm_port_of(&id->dst) && scm_port_of(&other->dst) && scm_port_of(&id->dst) != scm_port_of(&other->dst))
			continue;
		if (!scm_any(&id->src) && !scm_any(&other->src) && !scm_same_ip(&id->src, &other->src))
			continue;
		if (!scm_any(&id->dst) && !scm_any(&other->dst) && !scm_same_ip(&id->dst, &other->dst))
			continue;
		return false;
	}
	return true;
}

static int choose(struct scm_id *id)
{
	struct scm_machine *m = id->m;
	int i;

	for (i = 0; i <= LAST_PORT - FIRST_PORT; i++) {
		if (m->next_port < FIRST_PORT || m->next_port > LAST_PORT)
			m->next_port = FIRST_PORT;
		if (is_unique(id, m->next_port)) {
			own(id, m->next_port++);
			return 0;
		}
		m->next_port++;
	}
	return EADDRNOTAVAIL;
}

int scm_port_take(struct scm_id *id)
{
	int err;

	if (!scm_port_of(&id->src))
		return choose(id);
	err = check_port(id, id->reuse);
	if (!err)
		own(id, scm_port_of(&id->src));
	return err;
}

void scm_port_give(struct scm_id *id)
{
	if (id->bound)
		LIST_REMOVE(id, in_bucket);
	id->bound = false;
}

// One that listens cannot share its port any more.
int scm_port_alone(struct scm_id *id)
{
	int err = id->reuse ? check_port(id, false) : 0;

	if (!err)
		id->reuse = false;
	return err;
}

struct scm_id *scm_listener(struct scm_machine *m, enum rdma_port_space ps, const struct sockaddr_storage *to)
{
	struct scm_id *id;

	LIST_FOREACH(id, bucket(m, scm_port_of(to)), in_bucket) {
		if (id->state != SCM_LISTEN || !at(id, ps, scm_port_of(to)))
			continue;
		if (id->src.ss_family != to->ss_family && id->afonly)
			continue;
		if (scm_any(&id->src) || scm_same_ip(&id->src, to))
			return id;
	}
	return NULL;
}
