// Linux 6.1, drivers/infiniband/core/uverbs_ioctl.c and uverbs_std_types_device.c.

#include "uverbs/provider.h"
#include "wire/wire.h"

static const struct method *const methods[] = {
	device_methods, domain_methods, memory_methods, paging_methods, cq_methods, srq_methods, wq_methods, qp_methods,
	flow_methods,
};

static bool invokes_write(const struct call *c)
{
	return c->hdr->object_id == UVERBS_OBJECT_DEVICE && c->hdr->method_id == UVERBS_METHOD_INVOKE_WRITE;
}

static const struct method *among(const struct method *m, const struct call *c)
{
	const bool written = invokes_write(c);
	const uint32_t object = written ? WRITTEN : c->hdr->object_id;
	const uint32_t method = written ? (uint32_t)attr_number(c, UVERBS_ATTR_WRITE_CMD, ~0u) : c->hdr->method_id;

	while (m->run && (m->object != object || m->method != method))
		m++;
	return m->run ? m : NULL;
}

// has_room reports whether the structs of a written command are large enough.
static bool has_room(const struct call *c, const struct method *m)
{
	const struct ib_uverbs_attr *out = attr(c, UVERBS_ATTR_CORE_OUT);
	size_t request;

	attr_pointer(c, UVERBS_ATTR_CORE_IN, &request);
	return request >= m->in && (out ? out->len : 0) >= m->out;
}

// Once the device is removed every command is EIO (ib_uverbs_cmd_verbs, as ib_dev is NULL). Before GET_CONTEXT all other methods are EINVAL
// (ib_uverbs_get_ucontext_file). An object or method that is not there is EPROTONOSUPPORT (ib_uverbs_cmd_verbs), and a written command
// EOPNOTSUPP (core/rdma_core.h, uapi_get_method). One with too small a struct is ENOSPC, by which libibverbs finds out whether commands
// can be sent this way at all (UVERBS_METHOD_INVOKE_WRITE).
static void run(void *call)
{
	const struct call *c = call;
	const bool written = invokes_write(c);
	const struct method *m = among(c->dev->provider->methods, c);

	refuse_if(fault_of(c->dev).removed, EIO);
	for (size_t i = 0; !m && i < sizeof methods / sizeof *methods; i++)
		m = among(methods[i], c);
	refuse_if(!written && !*context_begun(c->ctx) &&
		(c->hdr->object_id != UVERBS_OBJECT_DEVICE || c->hdr->method_id != UVERBS_METHOD_GET_CONTEXT), EINVAL);
	check(m ? 0 : written ? EOPNOTSUPP : EPROTONOSUPPORT);
	refuse_if(written && !has_room(c, m), ENOSPC);
	m->run(&(struct call){c->ctx, c->dev, c->hdr, m});
}

static void show(const struct call *c, int err)
{
	note("uverbs%d object %#x method %#x", c->dev->index, c->hdr->object_id, c->hdr->method_id);
	if (invokes_write(c))
		note(" command %#lx", (long)attr_number(c, UVERBS_ATTR_WRITE_CMD, 0));
	for (int i = 0; i < c->hdr->num_attrs; i++)
		note(" %#x:%u", c->hdr->attrs[i].attr_id, c->hdr->attrs[i].len);
	note(": %d\n", err);
}

int dispatch(struct context *ctx, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct call c = {ctx, ctx->dev, hdr, NULL};
	int err;

	pthread_mutex_lock(&lock);
	context_turn(ctx, true);
	err = command_run(run, &c);
	object_done(err);
	context_turn(ctx, false);
	show(&c, err);
	pthread_mutex_unlock(&lock);
	return err;
}
