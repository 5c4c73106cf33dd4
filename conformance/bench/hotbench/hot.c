#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "hot.h"

static uintptr_t create_cq;
static struct ibv_cq_ex *newest;
static struct ibv_wc ring[HB_SLOTS];
static const struct ibv_wc *current;
static unsigned int head;

void hb_use(uintptr_t fn) { create_cq = fn; }
struct ibv_cq_ex *hb_cq(void) { return newest; }

// About what a provider does: the entry is found, and what is in the object itself is set.
static int next_poll(struct ibv_cq_ex *cq)
{
	current = &ring[head++ % HB_SLOTS];
	cq->status = current->status;
	cq->wr_id = current->wr_id;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	return attr->comp_mask ? EINVAL : next_poll(cq);
}

static void end_poll(struct ibv_cq_ex *cq) { (void)cq; }

#define READ(TYPE, NAME, FIELD) \
	static TYPE NAME(struct ibv_cq_ex *cq) { (void)cq; return FIELD; }
READ(enum ibv_wc_opcode, read_opcode, current->opcode)
READ(uint32_t, read_vendor_err, current->vendor_err)
READ(unsigned int, read_wc_flags, current->wc_flags)
READ(uint32_t, read_byte_len, current->byte_len)
READ(__be32, read_imm_data, current->imm_data)
READ(uint32_t, read_qp_num, current->qp_num)
READ(uint32_t, read_src_qp, current->src_qp)
READ(uint32_t, read_slid, current->slid)
READ(uint8_t, read_sl, current->sl)
READ(uint8_t, read_dlid_path_bits, current->dlid_path_bits)
READ(uint64_t, read_ts, current->wr_id)

static struct ibv_cq_ex *make(struct ibv_context *c, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq *cq = ((struct ibv_cq *(*)(struct ibv_context *, int, void *, struct ibv_comp_channel *, int))create_cq)(
		c, (int)attr->cqe, attr->cq_context, attr->channel, (int)attr->comp_vector);
	struct ibv_cq_ex *ex = (struct ibv_cq_ex *)cq;
	int i;

	if (!cq)
		return NULL;
	for (i = 0; i < HB_SLOTS; i++)
		ring[i] = (struct ibv_wc){.wr_id = (uint64_t)i, .opcode = IBV_WC_RECV, .byte_len = 64, .qp_num = 17};
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
	ex->read_completion_ts = read_ts;
	return newest = ex;
}

uintptr_t hb_create_cq_ex_address(void) { return (uintptr_t)make; }

void hb_without(struct ibv_cq_ex *cq)
{
	if (cq->read_imm_data)
		cq->read_imm_data = NULL;
	else
		cq->next_poll = NULL;
}
