// What the commands that ask about an identifier answer: of Linux 6.1, drivers/infiniband/core/ucma.c, each function as the kernel's with
// this name behind ucma_.
#include <arpa/inet.h>

#include "cm/commands.h"
#include "uverbs/provider.h"

enum { PKEY = 0xffff, EXACTLY = 2, ROCE_LIFE_TIME = 18, HOPS = 64, PATH_FLAGS = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL };

static uint64_t guid(const struct scm_dev *d)
{
	struct ib_uverbs_ex_query_device_resp r = {0};
	const struct device *dev = &devices[cm_device(d)];

	dev->provider->device_attr(dev, &r);
	return r.base.node_guid;
}

static uint32_t paths(const struct scm_id *id)
{
	return id->state >= SCM_ROUTE_RESOLVED && id->state <= SCM_DISCONNECT ? 1 : 0;
}

static uint8_t life_time(const struct scm_id *id)
{
	return id->timeout_set && id->timeout ? (uint8_t)(id->timeout - 1) : ROCE_LIFE_TIME;
}

static void gid_of(const struct sockaddr_storage *a, void *to)
{
	union ibv_gid g;

	scm_gid_of(a, &g);
	memcpy(to, g.raw, sizeof g.raw);
}

static void query_device_addr(const struct scm_id *id, struct rdma_ucm_query_addr_resp *r)
{
	if (!id->dev)
		return;
	r->node_guid = guid(id->dev);
	r->port_num = id->port;
	r->pkey = htons(PKEY);
}

static void query_addr(const struct scm_id *id, struct rdma_ucm_query_addr_resp *r)
{
	r->src_size = (uint16_t)scm_addr_len((const struct sockaddr *)&id->src);
	r->dst_size = (uint16_t)scm_addr_len((const struct sockaddr *)&id->dst);
	memcpy(&r->src_addr, &id->src, r->src_size);
	memcpy(&r->dst_addr, &id->dst, r->dst_size);
}

// struct sockaddr_ib
struct ib_address {
	uint16_t family, pkey;
	uint32_t flow;
	uint8_t gid[16];
	uint64_t service, mask, scope;
};

static void query_gid(const struct scm_id *id, struct rdma_ucm_query_addr_resp *r)
{
	struct ib_address src = {.family = FAMILY_IB, .pkey = r->pkey}, dst = src;

	gid_of(&id->src, src.gid);
	gid_of(&id->dst, dst.gid);
	src.service = htobe64((uint64_t)id->ps << 16 | scm_port_of(&id->src)); // rdma_get_service_id
	dst.service = htobe64((uint64_t)id->ps << 16 | scm_port_of(&id->dst));
	r->src_size = r->dst_size = sizeof src;
	memcpy(&r->src_addr, &src, sizeof src);
	memcpy(&r->dst_addr, &dst, sizeof dst);
}

// pack writes a path as it is on the wire (sa_query.c, path_rec_table).
static void pack(const struct scm_id *id, uint8_t to[64])
{
	gid_of(&id->dst, to + 8);
	gid_of(&id->src, to + 24);
	to[47] = HOPS;
	to[48] = id->tos;
	to[49] = 1 << 7 | 1; // reversible, one path
	memcpy(to + 50, &(uint16_t){htons(PKEY)}, 2);
	to[54] = (uint8_t)(EXACTLY << 6 | id->dev->mtu);
	to[55] = EXACTLY << 6;
	to[56] = (uint8_t)(EXACTLY << 6 | life_time(id));
}

static void query_path(const struct scm_id *id, uint64_t response, size_t size)
{
	struct {
		struct rdma_ucm_query_path_resp r;
		struct ib_path_rec_data path;
	} all = {.r.num_paths = paths(id)};
	const bool room = size >= sizeof all;

	refuse_if(size < sizeof all.r, ENOSPC);
	if (paths(id) && room) {
		all.path.flags = PATH_FLAGS;
		pack(id, (uint8_t *)all.path.path_rec);
	}
	answer(response, &all, paths(id) && room ? sizeof all : sizeof all.r);
}

void cm_query(const struct command *c)
{
	INPUT(rdma_ucm_query, c);
	struct rdma_ucm_query_addr_resp r = {0};

	if (cmd.option == RDMA_USER_CM_QUERY_PATH) {
		query_path(c->id, cmd.response, c->out_size);
		return;
	}
	refuse_if(cmd.option != RDMA_USER_CM_QUERY_ADDR && cmd.option != RDMA_USER_CM_QUERY_GID, ENOSYS);
	refuse_if(c->out_size < offsetof(struct rdma_ucm_query_addr_resp, ibdev_index), ENOSPC);
	query_device_addr(c->id, &r);
	(cmd.option == RDMA_USER_CM_QUERY_ADDR ? query_addr : query_gid)(c->id, &r);
	answer(cmd.response, &r, MIN(c->out_size, sizeof r));
}
