//go:build linux && cgo

// The devices, which are opened when the first identifier is bound to them and closed with the library, and their lists.
#include "entry.h"

struct list {
	struct lib_machine *m;
	struct ibv_context *verbs[];
};

static int open_device(struct lib_dev *d)
{
	const struct scm_verbs *v = &d->m->v;
	struct ibv_device_attr a;
	struct ibv_port_attr p;

	if (d->verbs)
		return 0;
	d->verbs = v->open_device(d->device);
	if (!d->verbs || v->query_device(d->verbs, &a)) {
		if (d->verbs)
			v->close_device(d->verbs);
		d->verbs = NULL;
		return ENODEV;
	}
	d->max_initiator_depth = (uint8_t)a.max_qp_init_rd_atom;
	d->max_responder_resources = (uint8_t)a.max_qp_rd_atom;
	d->k.mtu = v->query_port(d->verbs, 1, (struct _compat_ibv_port_attr *)(void *)&p) ? IBV_MTU_1024 : p.active_mtu;
	return 0;
}

int scm_dev_use(struct lib_dev *d)
{
	int err = open_device(d);

	if (!err && !d->pd)
		d->pd = d->m->v.alloc_pd(d->verbs);
	if (!err && !d->pd)
		err = errno;
	if (!err)
		d->users++;
	return err;
}

void scm_dev_leave(struct lib_dev *d)
{
	if (--d->users || !d->pd)
		return;
	d->m->v.dealloc_pd(d->pd);
	d->pd = NULL;
}

// usable: a device that cannot be opened is not in the list
static bool usable(struct lib_dev *d)
{
	return !d->k.gone && !open_device(d);
}

struct ibv_context **scm_rdma_get_devices(int slot, int *num)
{
	SCM_LOCKED;
	struct lib_machine *m = scm_slot(slot);
	const int err = m ? scm_fails(m, SCM_V_GET_DEVICES) : ENODEV;
	struct list *l = err ? NULL : calloc(1, sizeof *l + (m->k.ndevs + 1) * sizeof l->verbs[0]);
	size_t i;
	int n = 0;

	for (i = 0; l && i < m->k.ndevs; i++)
		if (usable(&m->all[i])) {
			l->verbs[n++] = m->all[i].verbs;
			m->all[i].users++;
		}
	if (num)
		*num = n;
	if (!l) {
		errno = err ? err : ENOMEM;
		return NULL;
	}
	l->m = m;
	m->lists++;
	return l->verbs;
}

void scm_rdma_free_devices(struct ibv_context **list)
{
	struct list *l = (struct list *)(void *)((char *)list - offsetof(struct list, verbs));
	size_t i, x;
	SCM_LOCKED;

	for (i = 0; l->verbs[i]; i++)
		for (x = 0; x < l->m->k.ndevs; x++)
			if (l->m->all[x].verbs == l->verbs[i])
				scm_dev_leave(&l->m->all[x]);
	l->m->lists--;
	free(l);
}
