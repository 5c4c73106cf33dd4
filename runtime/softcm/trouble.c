//go:build linux && cgo

// Trouble on order.
#include "control.h"

int scm_verb_of(const char *name)
{
	static const char *const names[] = {
#define VERB(id, name, minor, result, ...) "rdma_" #name,
#define VERB_OF_SLOT(id, name, minor, result, parameters, args) "rdma_" #name,
#include "table.h"
	};
	int i;

	for (i = 0; i < SCM_VERBS; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

int scm_fail(int slot, int verb, uint64_t nth, int err)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);

	return m ? scm_rule_add(&m->fails[verb], nth, err) : EINVAL;
}

int scm_lose(int slot, int message, uint64_t nth)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);

	return m ? scm_rule_add(&m->k.lost[message], nth, EIO) : EINVAL;
}

static int silence(struct lib_machine *m, const struct sockaddr_storage *a)
{
	struct sockaddr_storage *more = realloc(m->k.silent, (m->k.nsilent + 1) * sizeof *more);

	if (!more)
		return ENOMEM;
	m->k.silent = more;
	more[m->k.nsilent++] = *a;
	return 0;
}

int scm_silence(int slot, const struct sockaddr_storage *a, bool on)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);
	size_t i, kept = 0;

	if (!m)
		return EINVAL;
	for (i = 0; i < m->k.nsilent; i++)
		if (!scm_same_ip(&m->k.silent[i], a))
			m->k.silent[kept++] = m->k.silent[i];
	m->k.nsilent = kept;
	return on ? silence(m, a) : 0;
}

int scm_remove(int slot, const char *device)
{
	SCM_LOCKED;
	struct lib_dev *d = scm_device_named(slot, device);

	if (d)
		scm_dev_remove(&d->k);
	return d ? 0 : ENODEV;
}

int scm_change_address(int slot, const char *device)
{
	SCM_LOCKED;
	struct lib_dev *d = scm_device_named(slot, device);
	struct scm_id *id;

	if (d)
		LIST_FOREACH(id, &d->k.ids, in_dev)
			scm_event_add(scm_event_new(id, RDMA_CM_EVENT_ADDR_CHANGE, 0));
	return d ? 0 : ENODEV;
}
