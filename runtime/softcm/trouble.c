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

static int add(int slot, struct scm_rule **(*rules)(struct lib_machine *, int), int which, uint64_t nth, int err)
{
	struct lib_machine *m;

	scm_lock_all();
	m = scm_slot(slot);
	err = m ? scm_rule_add(rules(m, which), nth, err) : EINVAL;
	scm_unlock_all();
	return err;
}

static struct scm_rule **fails(struct lib_machine *m, int verb)
{
	return &m->fails[verb];
}

static struct scm_rule **lost(struct lib_machine *m, int message)
{
	return &m->k.lost[message];
}

int scm_fail(int slot, int verb, uint64_t nth, int err)
{
	return add(slot, fails, verb, nth, err);
}

int scm_lose(int slot, int message, uint64_t nth)
{
	return add(slot, lost, message, nth, EIO);
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
	struct lib_machine *m;
	size_t i, kept = 0;
	int err = 0;

	scm_lock_all();
	m = scm_slot(slot);
	for (i = 0; m && i < m->k.nsilent; i++)
		if (!scm_same_ip(&m->k.silent[i], a))
			m->k.silent[kept++] = m->k.silent[i];
	if (m) {
		m->k.nsilent = kept;
		err = on ? silence(m, a) : 0;
	}
	scm_unlock_all();
	return m ? err : EINVAL;
}

int scm_remove(int slot, const char *device)
{
	struct lib_machine *m;
	struct lib_dev *d;

	scm_lock_all();
	m = scm_slot(slot);
	d = m ? scm_device_named(m, device) : NULL;
	if (d)
		scm_dev_remove(&d->k);
	scm_unlock_all();
	return d ? 0 : ENODEV;
}

int scm_change_address(int slot, const char *device)
{
	struct lib_machine *m;
	struct lib_dev *d;
	struct scm_id *id;

	scm_lock_all();
	m = scm_slot(slot);
	d = m ? scm_device_named(m, device) : NULL;
	if (d)
		LIST_FOREACH(id, &d->k.ids, in_dev)
			scm_event_add(scm_event_new(id, RDMA_CM_EVENT_ADDR_CHANGE, 0));
	scm_unlock_all();
	return d ? 0 : ENODEV;
}
