// The ports of each port space, and who has them (cma_get_port and what it calls in cma.c).
#include "kernel.h"

#define FIRST_PORT 32768
#define LAST_PORT 60999

static uint32_t *bucket(struct scm_machine *m, uint16_t port)
{
	return &m->ports->bucket[port % SCM_BUCKETS];
}

// PORTS_AT goes through those that have a port of a space.
#define PORTS_AT(p, m, ps, number) \
	for (p = entry(m, *bucket(m, number)); p; p = entry(m, p->next)) \
		if (p->used && p->space == (ps) && p->port == (number) && lives(m, p))

static struct scm_port *entry(struct scm_machine *m, uint32_t at)
{
	return at ? &m->ports->at[at - 1] : NULL;
}

static bool lives(const struct scm_machine *m, const struct scm_port *p)
{
	return p->process == m->process || m->host->alive(p->process);
}

static void hold(struct scm_machine *m, bool yes)
{
	if (m->host->lock_ports)
		m->host->lock_ports(yes);
}

static struct sockaddr_in6 shorter(const struct sockaddr_storage *a)
{
	struct sockaddr_in6 to;

	memcpy(&to, a, sizeof to);
	return to;
}

static struct sockaddr_storage longer(const struct sockaddr_in6 *a)
{
	struct sockaddr_storage to = {0};

	memcpy(&to, a, sizeof *a);
	return to;
}

void scm_port_tell(struct scm_id *id)
{
	struct scm_port *p = entry(id->m, id->bound);

	if (!p)
		return;
	hold(id->m, true);
	p->src = shorter(&id->src);
	p->dst = shorter(&id->dst);
	p->listens = id->state == SCM_LISTEN;
	p->afonly = id->afonly;
	p->reuse = id->reuse;
	hold(id->m, false);
}

static int own(struct scm_id *id, uint16_t port)
{
	struct scm_ports *all = id->m->ports;
	const uint32_t at = all->free ? all->free : all->high < SCM_PORTS ? ++all->high : 0;
	struct scm_port *p = entry(id->m, at);

	if (!p)
		return EADDRNOTAVAIL;
	if (all->free)
		all->free = p->next;
	scm_set_port(&id->src, port);
	*p = (struct scm_port){.next = *bucket(id->m, port), .id = id->number, .space = (uint16_t)id->ps, .port = port,
		.process = (uint8_t)id->m->process, .qp_type = (uint8_t)id->qp_type, .src = shorter(&id->src), .dst = shorter(&id->dst),
		.afonly = id->afonly, .reuse = id->reuse};
	*bucket(id->m, port) = id->bound = at;
	p->used = true; // last, and first not used any more: a process can be killed meanwhile
	return 0;
}

static void give(struct scm_machine *m, uint32_t at)
{
	struct scm_port *p = entry(m, at);
	uint32_t *link = bucket(m, p->port);

	p->used = false;
	while (*link && *link != at)
		link = &entry(m, *link)->next;
	if (!*link)
		return;
	*link = p->next;
	*p = (struct scm_port){.next = m->ports->free};
	m->ports->free = at;
}

void scm_port_give(struct scm_id *id)
{
	if (!id->bound)
		return;
	hold(id->m, true);
	give(id->m, id->bound);
	hold(id->m, false);
	id->bound = 0;
}

void scm_ports_clean(struct scm_machine *m)
{
	uint32_t i;

	hold(m, true);
	for (i = 1; i <= m->ports->high; i++)
		if (entry(m, i)->used && entry(m, i)->process == m->process)
			give(m, i);
	hold(m, false);
}

// check_port: may an identifier share its port with those that have it?
static int check_port(const struct scm_id *id, bool reuse)
{
	const struct scm_port *p;

	PORTS_AT(p, id->m, id->ps, scm_port_of(&id->src)) {
		const struct sockaddr_storage other = longer(&p->src);

		if ((p->id == id->number && p->process == id->m->process) || (reuse && p->reuse))
			continue;
		if (id->afonly && p->afonly && id->src.ss_family != other.ss_family)
			continue;
		if (scm_any(&id->src) || scm_any(&other))
			return EADDRNOTAVAIL;
		if (scm_same_ip(&id->src, &other))
			return EADDRINUSE;
	}
	return 0;
}

// is_unique: cma_port_is_unique, of a port that is chosen for an identifier
static bool is_unique(const struct scm_id *id, uint16_t port)
{
	const struct scm_port *p;

	PORTS_AT(p, id->m, id->ps, port) {
		const struct sockaddr_storage src = longer(&p->src), dst = longer(&p->dst);

		if (scm_port_of(&id->dst) && scm_port_of(&dst) && scm_port_of(&id->dst) != scm_port_of(&dst))
			continue;
		if (!scm_any(&id->src) && !scm_any(&src) && !scm_same_ip(&id->src, &src))
			continue;
		if (!scm_any(&id->dst) && !scm_any(&dst) && !scm_same_ip(&id->dst, &dst))
			continue;
		return false;
	}
	return true;
}

static int choose(struct scm_id *id)
{
	uint16_t *next = &id->m->ports->next_port;
	int i;

	for (i = 0; i <= LAST_PORT - FIRST_PORT; i++) {
		if (*next < FIRST_PORT || *next > LAST_PORT)
			*next = FIRST_PORT;
		if (is_unique(id, *next))
			return own(id, (*next)++);
		(*next)++;
	}
	return EADDRNOTAVAIL;
}

int scm_port_take(struct scm_id *id)
{
	int err;

	hold(id->m, true);
	if (!scm_port_of(&id->src)) {
		err = choose(id);
	} else {
		err = check_port(id, id->reuse);
		if (!err)
			err = own(id, scm_port_of(&id->src));
	}
	hold(id->m, false);
	return err;
}

// One that listens cannot share its port any more.
int scm_port_alone(struct scm_id *id)
{
	int err = 0;

	if (id->reuse) {
		hold(id->m, true);
		err = check_port(id, false);
		hold(id->m, false);
	}
	if (!err)
		id->reuse = false;
	return err;
}

struct scm_port scm_listener(struct scm_machine *m, int ps, const struct sockaddr_storage *to)
{
	struct scm_port found = {0};
	const struct scm_port *p;

	hold(m, true);
	PORTS_AT(p, m, ps, scm_port_of(to)) {
		const struct sockaddr_storage src = longer(&p->src);

		if (found.used || !p->listens || (src.ss_family != to->ss_family && p->afonly))
			continue;
		if (scm_any(&src) || scm_same_ip(&src, to))
			found = *p;
	}
	hold(m, false);
	return found;
}
