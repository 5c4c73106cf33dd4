//go:build linux && cgo

package dptest

// The crossings of dpath without gates, for the benchmark that says what gates cost.

/*
#include <arpa/inet.h>
#include "provider.h"

#cgo noescape dp_bare_post
#cgo nocallback dp_bare_post
#cgo noescape dp_bare_poll
#cgo nocallback dp_bare_poll

struct dp_posted {
	uintptr_t bad;
	int code;
};

static void dp_bare_post(uintptr_t qp, uintptr_t first, uintptr_t last, struct dp_posted *out)
{
	struct ibv_qp *q = (struct ibv_qp *)qp;
	struct ibv_send_wr *end = (struct ibv_send_wr *)last, *rest = end->next, *bad = NULL;
	int code;

	end->next = NULL;
	code = q->context->ops.post_send(q, (struct ibv_send_wr *)first, &bad);
	end->next = rest;
	if (code != 0) {
		out->code = code;
		out->bad = (uintptr_t)bad;
	}
}

static void dp_bare_order(struct ibv_wc *wc, int n)
{
	unsigned int any = 0;
	int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		any |= wc[i].wc_flags;
	if (!(any & IBV_WC_WITH_IMM))
		return;
	for (i = 0; i < n; i++)
		if (wc[i].wc_flags & IBV_WC_WITH_IMM)
			wc[i].imm_data = ntohl(wc[i].imm_data);
}

static void dp_bare_poll(uintptr_t cq, uint8_t *wcs, int n, long tries, int *got)
{
	struct ibv_cq *q = (struct ibv_cq *)cq;
	struct ibv_wc *wc = (struct ibv_wc *)wcs;
	int (*poll)(struct ibv_cq *, int, struct ibv_wc *) = q->context->ops.poll_cq;
	int found = poll(q, n, wc);

	if (__builtin_expect(found == 0, 1) && tries > 1) {
#pragma GCC unroll 4
		do
			found = poll(q, n, wc);
		while (__builtin_expect(found == 0, 1) && --tries > 1);
	}
	dp_bare_order(wc, found < n ? found : n);
	*got = found;
}
*/
import "C"

import (
	"math"
	"syscall"
	"unsafe"
)

// BarePost posts the first n of the requests (struct ibv_send_wr *, size bytes each, of which there are most) to the queue pair,
// after the checks of dpath.PostSendRange.
func (p *Provider) BarePost(requests unsafe.Pointer, size uintptr, n, most int) (bad int, errno syscall.Errno) {
	if p == nil || uint(n) > uint(most) {
		return -1, syscall.EINVAL
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_dp_posted
	first := uintptr(requests)
	C.dp_bare_post(C.uintptr_t(uintptr(unsafe.Pointer(&p.c.qp))), C.uintptr_t(first), C.uintptr_t(first+uintptr(n-1)*size), &out)
	if out.code == 0 {
		return -1, 0
	}
	return int((uintptr(out.bad) - first) / size), syscall.Errno(out.code)
}

// BarePoll polls up to tries times into n entries at wcs (struct ibv_wc *), after the checks of dpath.PollSpin.
func (p *Provider) BarePoll(wcs unsafe.Pointer, n, tries int) (int, syscall.Errno) {
	if p == nil {
		return 0, syscall.EINVAL
	}
	n = min(n, math.MaxInt32)
	if n == 0 {
		return 0, 0
	}
	var got C.int
	C.dp_bare_poll(C.uintptr_t(uintptr(unsafe.Pointer(&p.c.cq))), (*C.uint8_t)(wcs), C.int(n), C.long(tries), &got)
	if uint(got) > uint(n) {
		return 0, syscall.EIO
	}
	return int(got), 0
}
