// The context and the queries: Linux 6.1, drivers/infiniband/core/uverbs_std_types_device.c, uverbs_cmd.c, uverbs_std_types_async_fd.c.
#include "uverbs/provider.h"
#include "uverbs/gid.h"
#include "wire/wire.h"

// A second user of an open file asks by QUERY_CONTEXT, whose attributes have the same numbers.
static void get_context(const struct call *c)
{
	const uint64_t core = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;

	refuse_if(*context_begun(c->ctx) && c->method->method == UVERBS_METHOD_GET_CONTEXT, EINVAL);
	*context_begun(c->ctx) = true;
	attr_out32(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, VECTORS);
	ATTR_OUT(c, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, core);
	c->dev->provider->get_context(c);
}

static void query_port(const struct call *c)
{
	struct ib_uverbs_query_port_resp_ex r = {0};

	refuse_if(attr_number(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 0) != 1, EINVAL);
	c->dev->provider->port_attr(c->dev, &r.legacy_resp);
	if (fault_of(c->dev).down) {
		r.legacy_resp.state = IBV_PORT_DOWN;
		r.legacy_resp.phys_state = 3; // disabled
	}
	ATTR_OUT(c, UVERBS_ATTR_QUERY_PORT_RESP, r);
}

static void query_gid_table(const struct call *c)
{
	const uint64_t size = attr_number(c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 0);
	struct ib_uverbs_attr *entries = attr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	uint64_t n;

	refuse_if(!size || !entries || attr_number(c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0) || entries->len % size, EINVAL);
	for (uint32_t i = n = 0; i < GID_TABLE; i++) {
		struct ib_uverbs_gid_entry e = {.gid_index = i, .port_num = 1, .netdev_ifindex = !c->dev->infiniband};
		uint8_t *to = (uint8_t *)(uintptr_t)entries->data + n * size;
		const int type = gid_at(c->dev, i, (uint8_t *)e.gid);

		if (type < 0)
			continue;
		refuse_if(n++ == entries->len / size, EINVAL);
		e.gid_type = (uint32_t)type;
		memset(to, 0, size);
		memcpy(to, &e, MIN(size, sizeof e));
	}
	entries->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	ATTR_OUT(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, n);
}

static void query_gid_entry(const struct call *c)
{
	struct ib_uverbs_gid_entry e = {.port_num = 1, .netdev_ifindex = !c->dev->infiniband};

	e.gid_index = (uint32_t)attr_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 0);
	refuse_if(attr_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0) || attr_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 0) != 1, EINVAL);
	check(gid_check(c->dev, e.gid_index));
	e.gid_type = (uint32_t)gid_at(c->dev, e.gid_index, (uint8_t *)e.gid);
	ATTR_OUT(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, e);
}

static void async_alloc(const struct call *c)
{
	int fd;
	struct channel *k = channel_new(c->ctx, true, &fd);

	refuse_if(!k, ENOMEM);
	if (!c->ctx->async) // events of objects go to the first file (ib_uverbs_init_async_event_file)
		c->ctx->async = k;
	attr_created(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, (uint64_t)fd);
}

static void query_device(const struct call *c)
{
	struct ib_uverbs_ex_query_device_resp r = {0};

	c->dev->provider->device_attr(c->dev, &r);
	ATTR_OUT(c, UVERBS_ATTR_CORE_OUT, r.base);
}

static void query_device_ex(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_query_device, q);
	struct ib_uverbs_ex_query_device_resp r = {0};

	refuse_if(q.comp_mask || q.reserved, EINVAL);
	c->dev->provider->device_attr(c->dev, &r);
	r.response_length = sizeof r;
	r.device_cap_flags_ex |= r.base.device_cap_flags;
	ATTR_OUT(c, UVERBS_ATTR_CORE_OUT, r);
	c->dev->provider->query_device(c);
}

static void create_channel(const struct call *c)
{
	int fd;

	refuse_if(!channel_new(c->ctx, false, &fd), ENOMEM);
	attr_out32(c, UVERBS_ATTR_CORE_OUT, (uint32_t)fd);
}

const struct method device_methods[] = {
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, get_context},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, get_context},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, query_port},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, query_gid_table},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, query_gid_entry},
	{UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, async_alloc},
	{WRITTEN, IB_USER_VERBS_CMD_QUERY_DEVICE, query_device, 8, sizeof(struct ib_uverbs_query_device_resp)},
	{WRITTEN, EXTENDED(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), query_device_ex, 8, offsetof(struct ib_uverbs_ex_query_device_resp, odp_caps)},
	{WRITTEN, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, create_channel, 0, 4},
	{0},
};
