//go:build linux && cgo

// XRC domains: as in a kernel, those of one inode are one, whichever context opened it.
#include <fcntl.h>
#include <sys/stat.h>

#include "entry.h"
#include "xrc.h"

#define BOTH (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS)

static void forget(struct svb_obj *o)
{
	struct svb_domain *d = SVB_OF(o, struct svb_xrcd)->domain;

	if (d && --d->xrcds == 0)
		free(d);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_XRCD, svb_xrcd), .noun = "XRC domain", .free = forget};

struct search {
	dev_t st_dev;
	ino_t st_ino;
	struct svb_dev *dev;
	struct svb_domain *found;
};

static void same(struct svb_obj *o, void *arg)
{
	struct svb_domain *d = SVB_OF(o, struct svb_xrcd)->domain;
	struct search *s = arg;

	if (d && d->shared && o->ctx->dev == s->dev && d->st_dev == s->st_dev && d->st_ino == s->st_ino)
		s->found = d;
}

// join gives a handle the domain of its inode, or one of its own, with svb_lock held.
static int join(struct svb_ctx *c, struct svb_xrcd *x, int fd, int flags)
{
	struct search s = {.dev = c->dev};
	struct stat st = {0};

	if (fd != -1) {
		if (fstat(fd, &st))
			return errno;
		s.st_dev = st.st_dev;
		s.st_ino = st.st_ino;
		svb_each(c->obj.inst, SVB_T_XRCD, same, &s);
		if (!s.found && !(flags & O_CREAT))
			return EAGAIN;
		if (s.found && (flags & O_EXCL))
			return EINVAL;
	}
	x->domain = s.found ? s.found : calloc(1, sizeof *x->domain);
	if (!x->domain)
		return ENOMEM;
	if (!s.found)
		*x->domain = (struct svb_domain){.shared = fd != -1, .st_dev = st.st_dev, .st_ino = st.st_ino};
	x->domain->xrcds++;
	return 0;
}

struct ibv_xrcd *svb_open_xrcd(struct ibv_context *pub, struct ibv_xrcd_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_OPEN_XRCD, &err);
	struct svb_xrcd *x;

	if (!err && a->comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED)
		err = EOPNOTSUPP;
	if (!err && (a->comp_mask & BOTH) != BOTH)
		err = EINVAL;
	if (err && c && c->dev->cfg.mlx5)
		err = SVB_SILENT;
	x = svb_new_obj(&kind, c, &err);
	if (!err) {
		x->pub.context = pub;
		err = join(c, x, a->fd, a->oflags);
	}
	return svb_made(x, err);
}

SVB_DESTROYS(svb_close_xrcd, ibv_xrcd, SVB_T_XRCD, SVB_CLOSE_XRCD)
