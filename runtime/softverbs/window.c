//go:build linux && cgo

// What windows are bound to. The checks are those of soft-RoCE in Linux 6.1, and so is their result: a bind that is refused completes
// with IBV_WC_MW_BIND_ERR. Where soft-RoCE looks at the bounds of the region alone, those of the window hold here.
#include "window.h"

enum {
	CHANGES = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
};

static struct svb_kmr *window_of(const struct svb_dev *d, uint32_t key)
{
	struct svb_kmr *w = svb_key_find(d, key, true);

	return w && w->window ? w : NULL;
}

void svb_window_unbind(struct svb_kmr *w)
{
	if (w->region)
		w->region->windows--;
	w->region = NULL;
	w->qp = NULL;
	w->access = 0;
}

static bool within(const struct svb_span *s, const struct svb_bind *b)
{
	const uint64_t off = b->addr - s->iova;

	return off <= s->length && b->length <= s->length - off;
}

// check_type is what the two types of windows do not have in common.
static int check_type(const struct svb_kmr *w, const struct svb_kpd *pd, const struct svb_bind *b)
{
	if (w->window == IBV_MW_TYPE_1)
		return b->access & IBV_ACCESS_ZERO_BASED ? EINVAL : 0;
	return w->region || w->pd != pd || !b->length ? EINVAL : 0;
}

static int check_region(const struct svb_kmr *r, const struct svb_kmr *w, const struct svb_bind *b)
{
	if (!r || r->window || r->pd != w->pd || (r->access & IBV_ACCESS_ZERO_BASED) || !(r->access & IBV_ACCESS_MW_BIND))
		return EINVAL;
	if ((b->access & CHANGES) && !(r->access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	return within(&r->span, b) ? 0 : EINVAL;
}

int svb_window_bind(struct svb_dev *d, const void *qp, const struct svb_kpd *pd, const struct svb_bind *b)
{
	struct svb_kmr *w = window_of(d, b->window);
	struct svb_kmr *r = b->length ? svb_key_find(d, b->region, false) : NULL;
	int err = w ? check_type(w, pd, b) : EINVAL;

	if (!err && b->length)
		err = check_region(r, w, b);
	if (err)
		return err;
	svb_window_unbind(w);
	w->rkey = (w->rkey & ~0xffu) | (b->key & 0xff);
	if (!r)
		return 0;
	w->region = r;
	r->windows++;
	w->access = b->access;
	w->qp = w->window == IBV_MW_TYPE_2 ? qp : NULL;
	w->span = r->span;
	w->span.start = r->span.start + (b->addr - r->span.iova);
	w->span.length = b->length;
	w->span.iova = b->access & IBV_ACCESS_ZERO_BASED ? 0 : b->addr;
	return 0;
}

// Regions of programs stay as they are: only those that a kernel makes for itself can be invalidated.
int svb_invalidate(struct svb_dev *d, uint32_t key)
{
	struct svb_kmr *w = window_of(d, key);

	if (!w || w->window != IBV_MW_TYPE_2 || !w->region)
		return EINVAL;
	svb_window_unbind(w);
	return 0;
}

bool svb_window_serves(const struct svb_dev *d, uint32_t key, const void *qp)
{
	const struct svb_kmr *w = window_of(d, key);

	return !w || w->window != IBV_MW_TYPE_2 || w->qp == qp;
}

void svb_windows_leave(struct svb_dev *d, const void *qp)
{
	uint32_t i;

	for (i = 0; i < d->nkeys; i++)
		if (d->keys[i].mr && d->keys[i].mr->qp == qp)
			svb_window_unbind(d->keys[i].mr);
}
