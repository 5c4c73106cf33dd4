//go:build linux && cgo

// The making and the end of a machine.
#include <stdio.h>

#include "control.h"
#include "kernel.h"

#define MOST_GIDS 16 // of a port that are looked at

static int add_gid(struct scm_dev *d, const union ibv_gid *g, uint8_t port, uint8_t index)
{
	struct scm_gid *more = realloc(d->gids, (d->ngids + 1) * sizeof *more);

	if (!more)
		return ENOMEM;
	d->gids = more;
	more[d->ngids++] = (struct scm_gid){*g, port, index};
	return 0;
}

static int read_gids(struct scm_dev *d, struct ibv_context *c)
{
	static const union ibv_gid none;
	union ibv_gid g;
	unsigned port;
	int i, err = 0;

	for (port = 1; port <= d->ports; port++)
		for (i = 0; !err && i < MOST_GIDS; i++)
			if (!d->m->v.query_gid(c, (uint8_t)port, i, &g) && memcmp(&g, &none, sizeof g))
				err = add_gid(d, &g, (uint8_t)port, (uint8_t)i);
	return err;
}

// read_device opens a device for as long as it takes to read its addresses.
static int read_device(struct scm_machine *m, struct scm_dev *d, struct ibv_device *from)
{
	struct ibv_context *c = m->v.open_device(from);
	struct ibv_device_attr a;
	int err = c ? 0 : errno;

	d->m = m;
	d->device = from;
	LIST_INIT(&d->ids);
	snprintf(d->name, sizeof d->name, "%s", m->v.get_device_name(from));
	if (!err)
		err = m->v.query_device(c, &a);
	if (!err) {
		d->ports = a.phys_port_cnt;
		err = read_gids(d, c);
	}
	if (c)
		m->v.close_device(c);
	return err;
}

static int read_devices(struct scm_machine *m)
{
	int n, i, err = 0;

	m->list = m->v.get_device_list(&n);
	if (!m->list)
		return errno;
	m->devs = calloc((size_t)n + 1, sizeof *m->devs);
	if (!m->devs)
		return ENOMEM;
	for (i = 0; !err && i < n; i++, m->ndevs++)
		err = read_device(m, &m->devs[i], m->list[i]);
	return err;
}

static void free_all(struct scm_machine *m)
{
	size_t i;
	int v;

	for (i = 0; i < m->ndevs; i++) {
		if (m->devs[i].verbs)
			m->v.close_device(m->devs[i].verbs);
		free(m->devs[i].gids);
	}
	free(m->devs);
	if (m->list)
		m->v.free_device_list(m->list);
	for (v = 0; v < SCM_VERBS; v++)
		scm_rules_free(&m->fails[v]);
	for (v = 0; v < SCM_MESSAGES; v++)
		scm_rules_free(&m->lost[v]);
	free(m->silent);
	free(m->bound);
	m->used = false;
}

int scm_new(const struct scm_config *cfg, const uintptr_t *verbs, size_t n)
{
	struct scm_machine *m;
	int err;

	scm_lock_all();
	m = scm_slot_take();
	if (!m || n * sizeof *verbs != sizeof m->v) {
		scm_unlock_all();
		return m ? -EINVAL : -EMFILE;
	}
	m->cfg = *cfg;
	memcpy(&m->v, verbs, sizeof m->v);
	LIST_INIT(&m->channels);
	TAILQ_INIT(&m->timers);
	m->bound = calloc(SCM_BUCKETS, sizeof *m->bound);
	err = m->bound ? read_devices(m) : ENOMEM;
	if (err)
		free_all(m);
	scm_unlock_all();
	return err ? -err : m->slot;
}

int scm_close(int slot)
{
	struct scm_machine *m;

	scm_lock_all();
	m = scm_slot(slot);
	if (!m || !LIST_EMPTY(&m->channels) || m->nids || m->lists) {
		scm_unlock_all();
		return m ? EBUSY : EINVAL;
	}
	scm_clock_stop(m);
	free_all(m);
	scm_unlock_all();
	return 0;
}

static void report_id(const struct scm_id *id, FILE *out)
{
	fprintf(out, "identifier of %s, port %u: still open\n", id->dev ? id->dev->name : "no device", scm_port_of(&id->src));
}

char *scm_report(int slot)
{
	const struct scm_machine *m;
	const struct scm_channel *ch;
	const struct scm_id *id;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	scm_lock_all();
	m = scm_slot(slot);
	if (m) {
		LIST_FOREACH(ch, &m->channels, link) {
			fprintf(out, "event channel: still open\n");
			LIST_FOREACH(id, &ch->ids, in_channel)
				report_id(id, out);
		}
		if (m->lists)
			fprintf(out, "%u lists of devices: not freed\n", m->lists);
	}
	scm_unlock_all();
	fclose(out);
	return text;
}
