//go:build linux && cgo

// The calls, as a C program makes them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "direct.h"

void *direct_open(uintptr_t list_fn, uintptr_t free_fn, uintptr_t open_fn, const char *name)
{
	int i, n = 0, err = ENODEV;
	struct ibv_device **list = ((vg_fn_ibv_get_device_list)list_fn)(&n);
	struct ibv_context *ctx = NULL;

	if (!list)
		return NULL;
	for (i = 0; i < n && !ctx; i++) {
		if (strcmp(list[i]->name, name))
			continue;
		errno = 0;
		ctx = ((vg_fn_ibv_open_device)open_fn)(list[i]);
		err = errno;
	}
	((vg_fn_ibv_free_device_list)free_fn)(list);
	errno = err;
	return ctx;
}

int direct_close(uintptr_t fn, uintptr_t ctx) { return ((vg_fn_ibv_close_device)fn)((struct ibv_context *)ctx); }
void *direct_alloc_pd(uintptr_t fn, uintptr_t ctx) { return ((vg_fn_ibv_alloc_pd)fn)((struct ibv_context *)ctx); }
int direct_dealloc_pd(uintptr_t fn, uintptr_t pd) { return ((vg_fn_ibv_dealloc_pd)fn)((struct ibv_pd *)pd); }

void *direct_reg_mr(uintptr_t fn, uintptr_t pd, uintptr_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	return ((vg_fn_ibv_reg_mr_iova2)fn)((struct ibv_pd *)pd, (void *)addr, length, iova, access);
}

void *direct_reg_dmabuf_mr(uintptr_t fn, uintptr_t pd, uint64_t offset, uint64_t length, uint64_t iova, int fd, uint32_t access)
{
	return ((vg_fn_ibv_reg_dmabuf_mr)fn)((struct ibv_pd *)pd, offset, length, iova, fd, (int)access);
}

void *direct_reg_mr_ex(uintptr_t fn, uintptr_t pd, uint64_t mask, uint64_t length, uint32_t access, uint64_t iova, uintptr_t addr, int fd, uint64_t fd_offset)
{
	struct ibv_mr_init_attr a;

	memset(&a, 0, sizeof a);
	a.length = length;
	a.access = (int)access;
	a.comp_mask = mask;
	a.iova = iova;
	a.addr = (void *)addr;
	a.fd = fd;
	a.fd_offset = fd_offset;
	return ((vg_fn_ibv_reg_mr_ex)fn)((struct ibv_pd *)pd, &a);
}

int direct_dereg_mr(uintptr_t fn, uintptr_t mr) { return ((vg_fn_ibv_dereg_mr)fn)((struct ibv_mr *)mr); }

int direct_rereg_mr(uintptr_t fn, uintptr_t mr, int flags, uintptr_t addr, uint64_t length, uint32_t access)
{
	return ((vg_fn_ibv_rereg_mr)fn)((struct ibv_mr *)mr, flags, NULL, (void *)addr, length, (int)access);
}

int direct_cq(uintptr_t create, uintptr_t destroy, uintptr_t ctx, int cqe, int vector)
{
	struct ibv_cq *cq;

	errno = 0;
	cq = ((vg_fn_ibv_create_cq)create)((struct ibv_context *)ctx, cqe, NULL, NULL, vector);
	if (!cq)
		return errno ? errno : EIO;
	return ((vg_fn_ibv_destroy_cq)destroy)(cq);
}

int direct_mw(uintptr_t pd_, int type)
{
	struct ibv_pd *pd = (struct ibv_pd *)pd_;
	struct ibv_context_ops *ops = &pd->context->ops;
	struct ibv_mw *mw;

	if (!ops->alloc_mw)
		return EOPNOTSUPP;
	errno = 0;
	mw = ops->alloc_mw(pd, (enum ibv_mw_type)type);
	if (!mw)
		return errno ? errno : EIO;
	return ops->dealloc_mw(mw);
}

int direct_gid_table(uintptr_t fn, uintptr_t ctx)
{
	struct ibv_gid_entry entry;
	ssize_t n;

	if (!fn)
		return EOPNOTSUPP;
	n = ((vg_fn__ibv_query_gid_table)fn)((struct ibv_context *)ctx, &entry, 0, 0, sizeof entry);
	return n < 0 ? (int)-n : 0;
}

void *direct_import(uintptr_t fn, int fd) { return ((vg_fn_ibv_import_device)fn)(fd); }

// extended gives the context that the provider's table is in; NULL where there is none.
static struct verbs_context *extended(struct ibv_context *ctx)
{
	if ((uintptr_t)ctx->abi_compat != UINTPTR_MAX)
		return NULL;
	return (struct verbs_context *)((char *)ctx - offsetof(struct verbs_context, context));
}

// An older library's context is shorter: it lacks what stands in front.
#define HAS(v, op) ((v) && (v)->sz >= sizeof(struct verbs_context) - offsetof(struct verbs_context, op) && (v)->op)

int direct_advise(uintptr_t mr_, uint32_t advice, uint32_t flags, uint64_t addr, uint32_t n)
{
	struct ibv_mr *mr = (struct ibv_mr *)mr_;
	struct verbs_context *v = extended(mr->context);
	struct ibv_sge sge = { addr, 4096, mr->lkey };

	if (!HAS(v, advise_mr))
		return EOPNOTSUPP;
	return v->advise_mr(mr->pd, (enum ib_uverbs_advise_mr_advice)advice, flags, &sge, n);
}

// direct_dm allocates device memory, and with a region registers that, and gives all of it back.
int direct_dm(uintptr_t pd_, uintptr_t dereg, uint64_t length, uint32_t log_align, uint64_t offset, uint64_t region, uint32_t access)
{
	struct ibv_pd *pd = (struct ibv_pd *)pd_;
	struct verbs_context *v = extended(pd->context);
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = log_align };
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	int err = 0, undo;

	if (!HAS(v, alloc_dm) || !HAS(v, free_dm) || !HAS(v, reg_dm_mr))
		return EOPNOTSUPP;
	errno = 0;
	dm = v->alloc_dm(pd->context, &attr);
	if (!dm)
		return errno ? errno : EIO;
	if (region) {
		errno = 0;
		mr = v->reg_dm_mr(pd, dm, offset, region, access);
		if (!mr)
			err = errno ? errno : EIO;
		else
			err = ((vg_fn_ibv_dereg_mr)dereg)(mr);
	}
	undo = v->free_dm(dm);
	return err ? err : undo;
}

static uint64_t be64(uint64_t v) { return __builtin_bswap64(v); }

// put notes a field; it gives the place of the next one.
static int put(struct direct_field *out, int n, const char *name, uint64_t value)
{
	out[n].name = name;
	out[n].value = value;
	return n + 1;
}

// A field, and one that is stored in network byte order.
#define F(field) n = put(out, n, #field, (uint64_t)(int64_t)a.field)
#define B(field) n = put(out, n, #field, be64(a.field))

int direct_query_port(uintptr_t ctx_, uint8_t port, struct direct_field *out)
{
	struct ibv_context *ctx = (struct ibv_context *)ctx_;
	struct verbs_context *v = extended(ctx);
	struct ibv_port_attr a;
	int err, n = 0;

	if (!HAS(v, query_port))
		return EOPNOTSUPP;
	memset(&a, 0, sizeof a);
	err = v->query_port(ctx, port, &a, sizeof a);
	if (err)
		return err;
	F(state); F(max_mtu); F(active_mtu); F(gid_tbl_len); F(port_cap_flags); F(max_msg_sz); F(bad_pkey_cntr);
	F(qkey_viol_cntr); F(pkey_tbl_len); F(lid); F(sm_lid); F(lmc); F(max_vl_num); F(sm_sl); F(subnet_timeout);
	F(init_type_reply); F(active_width); F(active_speed); F(phys_state); F(link_layer); F(flags); F(port_cap_flags2);
	F(active_speed_ex);
	return 0;
}

int direct_query_device_ex(uintptr_t ctx_, struct direct_field *out)
{
	struct ibv_context *ctx = (struct ibv_context *)ctx_;
	struct verbs_context *v = extended(ctx);
	struct ibv_device_attr_ex a;
	int err, n = 0;

	if (!HAS(v, query_device_ex))
		return EOPNOTSUPP;
	memset(&a, 0, sizeof a);
	err = v->query_device_ex(ctx, NULL, &a, sizeof a);
	if (err)
		return err;
	B(orig_attr.node_guid); B(orig_attr.sys_image_guid); F(orig_attr.max_mr_size); F(orig_attr.page_size_cap);
	F(orig_attr.vendor_id); F(orig_attr.vendor_part_id); F(orig_attr.hw_ver); F(orig_attr.max_qp); F(orig_attr.max_qp_wr);
	F(orig_attr.device_cap_flags); F(orig_attr.max_sge); F(orig_attr.max_sge_rd); F(orig_attr.max_cq);
	F(orig_attr.max_cqe); F(orig_attr.max_mr); F(orig_attr.max_pd); F(orig_attr.max_qp_rd_atom);
	F(orig_attr.max_ee_rd_atom); F(orig_attr.max_res_rd_atom); F(orig_attr.max_qp_init_rd_atom);
	F(orig_attr.max_ee_init_rd_atom); F(orig_attr.atomic_cap); F(orig_attr.max_ee); F(orig_attr.max_rdd);
	F(orig_attr.max_mw); F(orig_attr.max_raw_ipv6_qp); F(orig_attr.max_raw_ethy_qp); F(orig_attr.max_mcast_grp);
	F(orig_attr.max_mcast_qp_attach); F(orig_attr.max_total_mcast_qp_attach); F(orig_attr.max_ah); F(orig_attr.max_fmr);
	F(orig_attr.max_map_per_fmr); F(orig_attr.max_srq); F(orig_attr.max_srq_wr); F(orig_attr.max_srq_sge);
	F(orig_attr.max_pkeys); F(orig_attr.local_ca_ack_delay); F(orig_attr.phys_port_cnt); F(odp_caps.general_caps);
	F(odp_caps.per_transport_caps.rc_odp_caps); F(odp_caps.per_transport_caps.uc_odp_caps);
	F(odp_caps.per_transport_caps.ud_odp_caps); F(completion_timestamp_mask); F(hca_core_clock); F(device_cap_flags_ex);
	F(tso_caps.max_tso); F(tso_caps.supported_qpts); F(rss_caps.supported_qpts); F(rss_caps.max_rwq_indirection_tables);
	F(rss_caps.max_rwq_indirection_table_size); F(rss_caps.rx_hash_fields_mask); F(rss_caps.rx_hash_function);
	F(max_wq_type_rq); F(packet_pacing_caps.qp_rate_limit_min); F(packet_pacing_caps.qp_rate_limit_max);
	F(packet_pacing_caps.supported_qpts); F(raw_packet_caps); F(tm_caps.max_rndv_hdr_size); F(tm_caps.max_num_tags);
	F(tm_caps.flags); F(tm_caps.max_ops); F(tm_caps.max_sge); F(cq_mod_caps.max_cq_count); F(cq_mod_caps.max_cq_period);
	F(max_dm_size); F(pci_atomic_caps.fetch_add); F(pci_atomic_caps.swap); F(pci_atomic_caps.compare_swap);
	F(xrc_odp_caps); F(phys_port_cnt_ex);
	return 0;
}

// pattern writes bytes by which every place in a struct can be told from its neighbours; none is 0 or above 127.
static void pattern(void *to, size_t size)
{
	unsigned char *p = to;
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = (unsigned char)(1 + i * 7 % 113);
}

static int pattern_device(struct ibv_context *ctx, const struct ibv_query_device_ex_input *in, struct ibv_device_attr_ex *attr, size_t size)
{
	(void)ctx;
	(void)in;
	pattern(attr, size);
	attr->orig_attr.fw_ver[63] = 0;
	attr->comp_mask = 0;
	return 0;
}

static int pattern_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	(void)ctx;
	(void)port;
	pattern(attr, size);
	return 0;
}

uintptr_t direct_pattern_device(void) { return (uintptr_t)pattern_device; }
uintptr_t direct_pattern_port(void) { return (uintptr_t)pattern_port; }
