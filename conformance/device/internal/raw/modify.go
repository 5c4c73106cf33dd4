//go:build linux && cgo

package raw

/*
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "../../../../runtime/gensupport/abi/verbs_abi.h"

static void *raw_create_qp_of(uintptr_t fn, uintptr_t pd, void *cq, int type)
{
	struct ibv_qp_init_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.send_cq = attr.recv_cq = (struct ibv_cq *)cq;
	attr.qp_type = (enum ibv_qp_type)type;
	attr.cap.max_send_wr = attr.cap.max_recv_wr = attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
	return ((vg_fn_ibv_create_qp)fn)((struct ibv_pd *)pd, &attr);
}

// raw_path is a way over a port to a GID.
static struct ibv_ah_attr raw_path(const uint8_t *gid, uint8_t port)
{
	struct ibv_ah_attr ah;

	memset(&ah, 0, sizeof ah);
	ah.is_global = 1;
	ah.port_num = port;
	ah.grh.hop_limit = 1;
	memcpy(ah.grh.dgid.raw, gid, sizeof ah.grh.dgid.raw);
	return ah;
}

// raw_modify_qp hands in a good value of every attribute; the mask says which count.
static int raw_modify_qp(uintptr_t fn, void *qp_, int from, int to, int mask, const uint8_t *gid, uint8_t port, uint8_t path)
{
	struct ibv_qp *qp = (struct ibv_qp *)qp_;
	struct ibv_qp_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.qp_state = (enum ibv_qp_state)to;
	attr.cur_qp_state = (enum ibv_qp_state)from;
	attr.path_mtu = IBV_MTU_1024;
	attr.path_mig_state = IBV_MIG_MIGRATED;
	attr.qkey = 0x11;
	attr.rq_psn = attr.sq_psn = 1;
	attr.dest_qp_num = qp->qp_num;
	attr.cap.max_send_wr = attr.cap.max_recv_wr = attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
	attr.ah_attr = attr.alt_ah_attr = raw_path(gid, path);
	attr.max_rd_atomic = attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	attr.port_num = attr.alt_port_num = port;
	attr.timeout = attr.alt_timeout = 14;
	attr.retry_cnt = 3;
	attr.rnr_retry = 3;
	attr.rate_limit = 1000;
	return ((vg_fn_ibv_modify_qp)fn)(qp, &attr, mask);
}
*/
import "C"

import "syscall"

// QPOf makes a queue pair of a type of enum ibv_qp_type, with one completion queue.
func (c *Context) QPOf(cq *Object, kind int) (*Object, error) {
	p, err := C.raw_create_qp_of(c.fn("ibv_create_qp"), c.domain(), cq.p, C.int(kind))
	return c.object("ibv_create_qp", "ibv_destroy_qp", p, err)
}

// Change is a change of state with the attributes that the mask tells. All attributes have good values, but for the states and
// ports, which are as told.
type Change struct {
	From, To   int // of enum ibv_qp_state; From is the state that the queue pair is said to be in
	Mask       uint32
	GID        [16]byte // where the path leads: to this very queue pair
	Port, Path uint8    // of the queue pair, and by which the path leaves
}

// ModifyQP asks for a change. The result is the errno.
func (c *Context) ModifyQP(qp *Object, ch Change) syscall.Errno {
	return syscall.Errno(C.raw_modify_qp(c.fn("ibv_modify_qp"), qp.p, C.int(ch.From), C.int(ch.To), C.int(ch.Mask), (*C.uint8_t)(&ch.GID[0]),
		C.uint8_t(ch.Port), C.uint8_t(ch.Path)))
}
