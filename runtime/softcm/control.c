//go:build linux && cgo

// The making and the end of a machine.
#include <stdio.h>

#include "control.h"
#include "entry.h"

#define MOST_GIDS 16 // of a port that are looked at

static int add_gid(struct lib_dev *d, const union ibv_gid *g, uint8_t port, uint8_t index)
{
	struct scm_gid *more = realloc(d->k.gids, (d->k.ngids + 1) * sizeof *more);

	if (!more)
		return ENOMEM;
	d->k.gids = more;
	more[d->k.ngids++] = (struct scm_gid){*g, port, index};
	return 0;
}

static int read_gids(struct lib_dev *d, struct ibv_context *c, unsigned ports)
{
	static const union ibv_gid none;
	union ibv_gid g;
	unsigned port;
	int i, err = 0;

	for (port = 1; port <= ports; port++)
		for (i = 0; !err && i < MOST_GIDS; i++)
			if (!d->m->v.query_gid(c, (uint8_t)port, i, &g) && memcmp(&g, &none, sizeof g))
				err = add_gid(d, &g, (uint8_t)port, (uint8_t)i);
	return err;
}

// read_device opens a device for as long as it takes to read its addresses.
static int read_device(struct lib_machine *m, struct lib_dev *d, struct ibv_device *from)
{
	struct ibv_context *c = m->v.open_device(from);
	struct ibv_device_attr a;
	int err = c ? 0 : errno;

	d->m = m;
	d->device = from;
	LIST_INIT(&d->k.ids);
	snprintf(d->k.name, sizeof d->k.name, "%s", m->v.get_device_name(from));
	if (!err)
		err = m->v.query_device(c, &a);
	if (!err)
		err = read_gids(d, c, a.phys_port_cnt);
	if (c)
		m->v.close_device(c);
	return err;
}

static int read_devices(struct lib_machine *m)
{
	int n, i, err = 0;

	m->list = m->v.get_device_list(&n);
	if (!m->list)
		return errno;
	m->all = calloc((size_t)n + 1, sizeof *m->all);
	m->k.devs = calloc((size_t)n + 1, sizeof(struct scm_dev *));
	if (!m->all || !m->k.devs)
		return ENOMEM;
	for (i = 0; !err && i < n; i++, m->k.ndevs++) {
		m->k.devs[i] = &m->all[i].k;
		err = read_device(m, &m->all[i], m->list[i]);
	}
	return err;
}

static void free_all(struct lib_machine *m)
{
	size_t i;
	int v;

	for (i = 0; i < m->k.ndevs; i++) {
		if (m->all[i].verbs)
			m->v.close_device(m->all[i].verbs);
		free(m->all[i].k.gids);
	}
	free(m->all);
	free(m->k.devs);
	if (m->list)
		m->v.free_device_list(m->list);
	for (v = 0; v < SCM_VERBS; v++)
		scm_rules_free(&m->fails[v]);
	for (v = 0; v < SCM_MESSAGES; v++)
		scm_rules_free(&m->k.lost[v]);
	free(m->k.silent);
	free(m->k.ports);
	m->used = false;
}

static void made(struct scm_id *id, const struct scm_id *listener)
{
	scm_id_made(SCM_LIB(id, id), ((const struct lib_id *)(const void *)listener)->pub.context);
}

static bool port_up(const struct scm_dev *k, uint8_t port)
{
	const struct lib_dev *d = (const void *)k;
	struct ibv_port_attr a;

	if (!d->verbs) // nobody could take the port down without opening the device
		return true;
	return !d->m->v.query_port(d->verbs, port, (struct _compat_ibv_port_attr *)(void *)&a) && a.state == IBV_PORT_ACTIVE;
}

static const struct scm_host host = {.id_size = sizeof(struct lib_id), .made = made, .port_up = port_up};

int scm_new(const struct scm_config *cfg, const uintptr_t *verbs, size_t n)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot_take();
	int err;

	if (!m || n * sizeof *verbs != sizeof m->v)
		return m ? -EINVAL : -EMFILE;
	m->k.cfg = *cfg;
	m->k.host = &host;
	memcpy(&m->v, verbs, sizeof m->v);
	scm_machine_start(&m->k);
	m->k.ports = calloc(1, sizeof *m->k.ports); // mostly zeros, which take no memory
	err = m->k.ports ? read_devices(m) : ENOMEM;
	if (err)
		free_all(m);
	return err ? -err : m->slot;
}

int scm_close(int slot)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);

	if (!m || !LIST_EMPTY(&m->k.channels) || m->k.nids || m->lists)
		return m ? EBUSY : EINVAL;
	scm_clock_stop(&m->k);
	free_all(m);
	return 0;
}

static void report_id(const struct scm_id *id, FILE *out)
{
	fprintf(out, "identifier of %s, port %u: still open\n", id->dev ? id->dev->name : "no device", scm_port_of(&id->src));
}

char *scm_report(int slot)
{
	SCM_LOCKED;
	const struct lib_machine *m = scm_slot(slot);
	const struct scm_channel *ch;
	const struct scm_id *id;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	if (m) {
		LIST_FOREACH(ch, &m->k.channels, link) {
			fprintf(out, "event channel: still open\n");
			LIST_FOREACH(id, &ch->ids, in_channel)
				report_id(id, out);
		}
		if (m->lists)
			fprintf(out, "%u lists of devices: not freed\n", m->lists);
	}
	fclose(out);
	return text;
}
