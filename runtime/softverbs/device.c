//go:build linux && cgo

// The device list, contexts and their ops table.
#include <endian.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "entry.h"
#include "completion.h"

#define ABI_EXTENDED ((void *)UINTPTR_MAX) // abi_compat of a context that sits in a verbs_context

struct list {
	struct svb_obj obj;
	struct ibv_device *devs[];
};

static const struct svb_kind list_kind = {SVB_T_LIST, .noun = "device list"};

struct ibv_device **svb_get_device_list(int slot, int *num)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);
	const int err = in ? svb_fails_locked(in, SVB_GET_DEVICE_LIST) : ENOSYS;
	struct list *l = err ? NULL : calloc(1, sizeof *l + (size_t)(in->ndevs + 1) * sizeof l->devs[0]);
	int i;

	if (num)
		*num = l ? in->ndevs : 0;
	if (!l)
		return svb_null(err ? err : ENOMEM);
	for (i = 0; i < in->ndevs; i++)
		l->devs[i] = &in->devs[i].pub;
	svb_register(&l->obj, &list_kind, l->devs, in, NULL);
	return l->devs;
}

void svb_free_device_list(struct ibv_device **devs)
{
	SVB_LOCKED;
	struct svb_obj *o = svb_find(devs, SVB_T_LIST);

	if (!o)
		return;
	svb_unregister(o);
	free(SVB_OF(o, struct list));
}

// dev_of accepts only devices of living instances.
static struct svb_dev *dev_of(const struct ibv_device *d)
{
	struct svb_inst *in;
	int s, i;

	for (s = 0; s < SVB_SLOTS; s++) {
		in = svb_slot(s);
		for (i = 0; in && i < in->ndevs; i++)
			if (&in->devs[i].pub == d)
				return &in->devs[i];
	}
	return NULL;
}

static struct svb_dev *dev_locked(const struct ibv_device *d)
{
	SVB_LOCKED;

	return dev_of(d);
}

const char *svb_get_device_name(struct ibv_device *d)
{
	return d->name;
}

__be64 svb_get_device_guid(struct ibv_device *d)
{
	struct svb_dev *dev = dev_locked(d);

	return dev ? htobe64(dev->cfg.guid) : 0;
}

int svb_get_device_index(struct ibv_device *d)
{
	struct svb_dev *dev = dev_locked(d);

	return dev ? dev->cfg.index : -1;
}

// An op that the imitated release does not have. Only a caller that skipped the test of
// verbs_context.sz gets here; in the real library it would jump to an arbitrary address.
static void beyond_sz(void)
{
	fputs("softverbs: a call through a member of verbs_context that lies beyond its sz\n", stderr);
	abort();
}

// op_of is what stands in an operation of verbs_context: what a test put there, nothing, or our own function.
static uintptr_t op_of(const struct svb_config *cfg, enum svb_op op, uintptr_t own)
{
	if (cfg->override[op])
		return cfg->override[op];
	return cfg->absent >> op & 1 ? 0 : own;
}

// Newer releases add operations in front, so those of a release are the last sz bytes.
static void set_ops(struct svb_ctx *c, const struct svb_config *cfg)
{
	const struct svb_devcfg *d = &c->dev->cfg;
	struct verbs_context *v = &c->vctx;
	struct ibv_context *pub = &v->context;
	uintptr_t *op = (uintptr_t *)(void *)v;
	size_t beyond = (sizeof *v - cfg->vctx_size) / sizeof *op;

#define OP(member, present, function) \
	v->member = (__typeof__(v->member))op_of(cfg, SVB_OP_##member, (present) ? (uintptr_t)function : 0);
#define CONTEXT_OP(member, function) pub->ops.member = function;
#include "table.h"
	while (beyond--)
		op[beyond] = (uintptr_t)beyond_sz;
	v->sz = cfg->vctx_size;
}

static void name_ctx(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "%s: context", SVB_OF(o, struct svb_ctx)->dev->pub.name);
}

static const struct svb_kind ctx_kind = {SVB_T_CTX, .name = name_ctx};

// new_ctx makes a context of a device file, whose descriptor belongs to it then: NULL + errno.
static struct ibv_context *new_ctx(struct svb_file *f, int cmd_fd)
{
	struct svb_ctx *c = calloc(1, sizeof *c);
	struct ibv_context *pub;
	const int async_fd = eventfd(0, EFD_CLOEXEC);
	const int err = !c ? ENOMEM : async_fd < 0 ? errno : 0;

	if (err) {
		close(async_fd);
		free(c);
		return svb_null(err);
	}
	pub = &c->vctx.context;
	c->dev = f->dev;
	c->file = f;
	set_ops(c, &f->dev->inst->cfg);
	pub->device = &f->dev->pub;
	pub->cmd_fd = cmd_fd;
	pub->async_fd = async_fd;
	pub->num_comp_vectors = 1;
	pub->abi_compat = ABI_EXTENDED;
	STAILQ_INIT(&c->events);
	pthread_mutex_init(&pub->mutex, NULL);
	f->ctxs++;
	f->dev->inst->nctx++;
	svb_register(&c->obj, &ctx_kind, pub, f->dev->inst, NULL);
	return pub;
}

struct ibv_context *svb_open_device(struct ibv_device *device)
{
	SVB_LOCKED;
	struct svb_dev *d = dev_of(device);
	const int err = d ? d->gone ? EIO : svb_fails_locked(d->inst, SVB_OPEN_DEVICE) : ENODEV;
	int cmd_fd;
	struct svb_file *f = err ? svb_null(err) : svb_file_open(d, &cmd_fd);
	struct ibv_context *c = f ? new_ctx(f, cmd_fd) : NULL;

	if (f && !c)
		close(cmd_fd); // which ends the file
	return c;
}

// The descriptor belongs to the new context, which closes it; after an error it is still the caller's.
struct ibv_context *svb_import_device(int slot, int cmd_fd)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);
	const int err = in ? svb_fails_locked(in, SVB_IMPORT_DEVICE) : ENODEV;
	struct svb_file *f = err ? NULL : svb_file_of(in, cmd_fd);

	if (!f)
		return svb_null(err ? err : EINVAL); // not a descriptor of a device
	if (f->dev->gone || f->dev->cfg.no_import)
		return svb_null(f->dev->gone ? EIO : EOPNOTSUPP);
	return new_ctx(f, cmd_fd);
}

// Answers 0 whatever is still open: then the kernel frees it all, and Leaks tells.
int svb_close_device(struct ibv_context *pub)
{
	SVB_LOCKED;
	struct svb_ctx *c = svb_live(pub, SVB_T_CTX);
	const int err = c ? svb_fails_locked(c->obj.inst, SVB_CLOSE_DEVICE) : EINVAL;
	struct svb_obj *o;
	char line[256];

	if (err)
		return svb_minus(err);
	while ((o = LIST_FIRST(&c->objs))) {
		svb_describe(o, "left behind by ibv_close_device", line, sizeof line);
		if (!c->dev->gone) // without a device nothing else could be destroyed
			svb_leak(c->obj.inst, line);
		svb_drop_obj(o); // the newest first, so a queue pair before its completion queues
	}
	svb_async_free(c);
	svb_unregister(&c->obj);
	close(pub->cmd_fd);
	close(pub->async_fd);
	c->file->ctxs--;
	c->obj.inst->nctx--;
	svb_file_sweep(c->obj.inst);
	pthread_mutex_destroy(&pub->mutex);
	free(c);
	return 0;
}
