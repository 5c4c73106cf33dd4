//go:build linux && cgo

// What a program finds in the public struct of an identifier: ucma_query_addr, ucma_query_gid and ucma_query_path of librdmacm.
#include <arpa/inet.h>

#include "entry.h"

#define PKEY 0xffff
#define EXACTLY 2
#define PACKET_LIFE_TIME 18 // of RoCE, CMA_IBOE_PACKET_LIFETIME of the kernel
#define HOPS 64

int scm_query_addr(struct lib_id *id)
{
	struct rdma_cm_id *pub = &id->pub;
	int err;

	memcpy(&pub->route.addr.src_storage, &id->k.src, scm_addr_len((const struct sockaddr *)&id->k.src));
	memcpy(&pub->route.addr.dst_storage, &id->k.dst, scm_addr_len((const struct sockaddr *)&id->k.dst));
	if (id->open || !id->k.dev)
		return 0;
	err = scm_dev_use(SCM_LIB(dev, id->k.dev));
	if (err)
		return err;
	id->open = SCM_LIB(dev, id->k.dev);
	pub->verbs = id->open->verbs;
	pub->pd = id->open->pd;
	pub->port_num = id->k.port;
	pub->route.addr.addr.ibaddr.pkey = htons(PKEY);
	return 0;
}

void scm_query_gid(struct lib_id *id)
{
	scm_gid_of(&id->k.src, &id->pub.route.addr.addr.ibaddr.sgid);
	scm_gid_of(&id->k.dst, &id->pub.route.addr.addr.ibaddr.dgid);
}

int scm_query_path(struct lib_id *id)
{
	struct rdma_route *route = &id->pub.route;
	struct ibv_sa_path_rec *p = calloc(1, sizeof *p);
	const uint8_t life = id->k.timeout_set && id->k.timeout ? id->k.timeout - 1 : PACKET_LIFE_TIME;

	if (!p)
		return ENOMEM;
	*p = (struct ibv_sa_path_rec){.hop_limit = HOPS, .traffic_class = id->k.tos, .reversible = 1, .numb_path = 1, .pkey = htons(PKEY),
		.mtu_selector = EXACTLY, .mtu = (uint8_t)(id->open ? id->open->k.mtu : 0), .rate_selector = EXACTLY, .packet_life_time_selector = EXACTLY,
		.packet_life_time = life};
	scm_gid_of(&id->k.src, &p->sgid);
	scm_gid_of(&id->k.dst, &p->dgid);
	free(route->path_rec);
	route->path_rec = p;
	route->num_paths = 1;
	return 0;
}
