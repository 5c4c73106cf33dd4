//go:build linux && cgo

// XRC domains: as in a kernel, those of one inode are one, whichever context opened it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "entry.h"
#include "instance.h"
#include "objects.h"

#define BOTH (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

struct xrcd {
	struct ibv_xrcd pub;
	struct svb_obj obj;
	bool shared; // of an inode
	dev_t st_dev;
	ino_t st_ino;
};

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	(void)o;
	snprintf(buf, n, "XRC domain");
}

static void forget(struct svb_obj *o)
{
	svb_unregister(o);
	free(SVB_OF(o, struct xrcd));
}

static const struct svb_kind kind = {SVB_T_XRCD, name, forget};

struct search {
	const struct xrcd *like;
	struct svb_dev *dev;
	bool found;
};

static void same(struct svb_obj *o, void *arg)
{
	const struct xrcd *x = SVB_OF(o, struct xrcd);
	struct search *s = arg;

	if (x->shared && o->ctx->dev == s->dev && x->st_dev == s->like->st_dev && x->st_ino == s->like->st_ino)
		s->found = true;
}

// join finds out whether the domain of an inode may be opened, with svb_lock held.
static int join(struct svb_ctx *c, struct xrcd *x, int fd, int flags)
{
	struct search s = {x, c->dev, false};
	struct stat st;

	if (fd == -1)
		return 0;
	if (fstat(fd, &st))
		return errno;
	x->shared = true;
	x->st_dev = st.st_dev;
	x->st_ino = st.st_ino;
	svb_each(c->obj.inst, SVB_T_XRCD, same, &s);
	if (!s.found && !(flags & O_CREAT))
		return EAGAIN;
	return s.found && (flags & O_EXCL) ? EINVAL : 0;
}

struct ibv_xrcd *svb_open_xrcd(struct ibv_context *pub, struct ibv_xrcd_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_enter(pub, SVB_OPEN_XRCD, &err);
	struct xrcd *x = NULL;

	if (!err && a->comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED)
		err = EOPNOTSUPP;
	if (!err && (a->comp_mask & BOTH) != BOTH)
		err = EINVAL;
	if (!err && !(x = calloc(1, sizeof *x)))
		err = ENOMEM;
	if (!err) {
		pthread_mutex_lock(&svb_lock);
		err = join(c, x, a->fd, a->oflags);
		if (!err) {
			x->pub.context = pub;
			svb_register(&x->obj, &kind, &x->pub, c->obj.inst, c);
		}
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err)
		return &x->pub;
	free(x);
	errno = err;
	return NULL;
}

int svb_close_xrcd(struct ibv_xrcd *pub)
{
	struct svb_obj *o;
	int err;

	pthread_mutex_lock(&svb_lock);
	o = svb_find(pub, SVB_T_XRCD);
	err = o ? svb_refused_locked(o, SVB_CLOSE_XRCD) : EINVAL;
	if (!err)
		forget(o);
	pthread_mutex_unlock(&svb_lock);
	return err ? errno = err : 0;
}
