// Linux 6.1, drivers/infiniband/core/uverbs_ioctl.c and uverbs_std_types_device.c.

#include "uverbs/dispatch.h"
#include "wire/fault.h"

static const struct method *const methods[] = {
	device_methods, domain_methods, memory_methods, paging_methods, cq_methods, srq_methods, wq_methods, qp_methods,
	flow_methods,
};
static const struct command *const commands[] = {
	device_commands, domain_commands, memory_commands, cq_commands, srq_commands, wq_commands, qp_commands, flow_commands,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

// A command that is not known is EOPNOTSUPP (core/rdma_core.h, uapi_get_method); one with too small a struct is ENOSPC, by which
// libibverbs finds out whether commands can be sent this way at all (UVERBS_METHOD_INVOKE_WRITE).
static int invoke_write(const struct call *c)
{
	const uint32_t number = (uint32_t)attr_number(c, UVERBS_ATTR_WRITE_CMD, ~0u);
	size_t request, room;
	const struct ib_uverbs_attr *out = attr(c, UVERBS_ATTR_CORE_OUT);

	attr_pointer(c, UVERBS_ATTR_CORE_IN, &request);
	room = out ? out->len : 0;
	for (size_t i = 0; i < COUNT(commands); i++)
		for (const struct command *k = commands[i]; k->run; k++)
			if (k->number == number)
				return request < k->request || room < k->response ? ENOSPC : k->run(c);
	return EOPNOTSUPP;
}

static int among(const struct method *m, const struct call *c)
{
	for (; m->run; m++)
		if (m->object == c->hdr->object_id && m->method == c->hdr->method_id)
			return m->run(&(struct call){c->ctx, c->dev, c->hdr, m});
	return -1;
}

// An object or method that is not there is EPROTONOSUPPORT (ib_uverbs_cmd_verbs).
static int run(const struct call *c)
{
	int err;

	if (c->hdr->object_id == UVERBS_OBJECT_DEVICE && c->hdr->method_id == UVERBS_METHOD_INVOKE_WRITE)
		return invoke_write(c);
	err = among(c->dev->provider->methods, c);
	for (size_t i = 0; err < 0 && i < COUNT(methods); i++)
		err = among(methods[i], c);
	return err < 0 ? EPROTONOSUPPORT : err;
}

static void show(const struct call *c, int err)
{
	note("uverbs%d object %#x method %#x", c->dev->index, c->hdr->object_id, c->hdr->method_id);
	if (c->hdr->object_id == UVERBS_OBJECT_DEVICE && c->hdr->method_id == UVERBS_METHOD_INVOKE_WRITE)
		note(" command %#lx", (long)attr_number(c, UVERBS_ATTR_WRITE_CMD, 0));
	for (int i = 0; i < c->hdr->num_attrs; i++)
		note(" %#x:%u", c->hdr->attrs[i].attr_id, c->hdr->attrs[i].len);
	note(": %d\n", err);
}

// Before GET_CONTEXT all other methods are EINVAL (ib_uverbs_get_ucontext_file).
static bool too_early(const struct call *c)
{
	return !context_begun(c->ctx) && (c->hdr->object_id != UVERBS_OBJECT_DEVICE ||
		(c->hdr->method_id != UVERBS_METHOD_GET_CONTEXT && c->hdr->method_id != UVERBS_METHOD_INVOKE_WRITE));
}

int dispatch(struct context *ctx, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct call c = {ctx, ctx->dev, hdr, NULL};
	int err;

	pthread_mutex_lock(&lock);
	// Once the device is removed every command is EIO (ib_uverbs_cmd_verbs, as ib_dev is NULL).
	context_turn(ctx, true);
	err = fault_of(c.dev).removed ? EIO : too_early(&c) ? EINVAL : run(&c);
	object_done(err);
	context_turn(ctx, false);
	show(&c, err);
	pthread_mutex_unlock(&lock);
	return err;
}
