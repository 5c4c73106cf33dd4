//go:build linux && cgo

// Stretches of memory that take part in an operation: found by key, held by a count, moved without the lock.

#include "piece.h"

// The null region covers all addresses of a PD and has one local key on every device.
static bool take_null(uint32_t key, bool remote, struct svb_piece *p)
{
	if (remote || key != SVB_NULL_LKEY)
		return false;
	p->mr = NULL;
	p->where = SVB_NOWHERE;
	p->at = NULL;
	return true;
}

int svb_take(struct svb_dev *d, uint32_t key, bool remote, uint64_t addr, uint64_t length, uint32_t access,
	     const struct svb_kpd *pd, struct svb_piece *p)
{
	struct svb_kmr *k;
	uint64_t off;

	p->length = length;
	if (take_null(key, remote, p))
		return 0;
	k = svb_key_find(d, key, remote);
	if (!k || (k->access & access) != access || (pd && k->pd != pd) || (k->window && (!remote || !k->region)))
		return EINVAL;
	off = addr - k->span.iova;
	if (off > k->span.length || length > k->span.length - off)
		return EFAULT;
	p->mr = k->window ? k->region : k;
	p->mr->busy++;
	p->where = k->span.where;
	p->at = (char *)((uintptr_t)k->span.start + off);
	return 0;
}

// Only the first length bytes of the elements are looked at, and no element without bytes.
int svb_take_sges(struct svb_dev *d, const struct svb_kpd *pd, const struct ibv_sge *s, int n, uint64_t length, uint32_t access,
		  struct svb_list *l)
{
	uint64_t part;
	int err;

	for (; n && length; n--, s++) {
		part = s->length < length ? s->length : length;
		if (!part)
			continue;
		err = svb_take(d, s->lkey, false, s->addr, part, access, pd, &l->p[l->n]);
		if (err)
			return err;
		l->n++;
		length -= part;
	}
	return length ? EINVAL : 0;
}

void svb_list_add(struct svb_list *l, void *ours, uint64_t length)
{
	l->p[l->n++] = (struct svb_piece){.where = SVB_OURS, .at = ours, .length = length};
}

void svb_drop(struct svb_piece *p)
{
	if (p->mr)
		svb_idles(&p->mr->busy);
	p->mr = NULL;
}

void svb_list_drop(struct svb_list *l)
{
	while (l->n)
		svb_drop(&l->p[--l->n]);
}

// there tells whether the program has the memory of 8 bytes still.
static bool there(const struct svb_piece *p)
{
	return p->where == SVB_DEVICE || (svb_mapped((uintptr_t)p->at, 8, true) && svb_readable((uintptr_t)p->at, 8));
}

bool svb_atomic_store(const struct svb_piece *p, uint64_t number)
{
	if (!there(p))
		return false;
	__atomic_store_n((uint64_t *)(void *)p->at, number, __ATOMIC_SEQ_CST);
	return true;
}

bool svb_atomic(const struct svb_piece *piece, bool add, uint64_t a, uint64_t b, uint64_t *old)
{
	uint64_t *p = (uint64_t *)(void *)piece->at;
	uint64_t want = a;

	if (!there(piece))
		return false;
	if (add) {
		*old = __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);
		return true;
	}
	__atomic_compare_exchange_n(p, &want, b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	*old = want; // what was there, swapped or not
	return true;
}

static bool direct(const struct svb_piece *p)
{
	return p->where == SVB_DEVICE || p->where == SVB_OURS;
}

static bool fetch(const struct svb_piece *p, uint64_t off, char *to, uint64_t n)
{
	if (p->where == SVB_NOWHERE)
		memset(to, 0, n);
	else if (direct(p))
		memcpy(to, p->at + off, n);
	else
		return svb_copy_host((char *)((uintptr_t)p->at + off), to, n, false);
	return true;
}

static bool store(const struct svb_piece *p, uint64_t off, char *from, uint64_t n)
{
	if (direct(p))
		memcpy(p->at + off, from, n);
	else if (p->where != SVB_NOWHERE)
		return svb_copy_host((char *)((uintptr_t)p->at + off), from, n, true);
	return true;
}

// It ends with the shorter of the two.
enum svb_copied svb_list_copy(const struct svb_list *from, const struct svb_list *to, char *bounce, size_t size)
{
	const struct svb_piece *f = from->p, *t = to->p, *fend = f + from->n, *tend = t + to->n;
	uint64_t foff = 0, toff = 0, n;

	for (;;) {
		while (f < fend && foff == f->length)
			f++, foff = 0;
		while (t < tend && toff == t->length)
			t++, toff = 0;
		if (f == fend || t == tend)
			return SVB_COPIED;
		n = f->length - foff < t->length - toff ? f->length - foff : t->length - toff;
		if (n > size)
			n = size;
		if (!fetch(f, foff, bounce, n))
			return SVB_NO_SOURCE;
		if (!store(t, toff, bounce, n))
			return SVB_NO_TARGET;
		foff += n;
		toff += n;
	}
}
