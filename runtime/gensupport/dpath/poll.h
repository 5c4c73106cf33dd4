// Polls of completion queues and requests for their events, for post_cgo.go.
#ifndef VERBSGEN_DPATH_POLL_H
#define VERBSGEN_DPATH_POLL_H

// Immediate data to the order of this processor. Most completions have none, so one quick look at all flags comes first.
static void verbsgen_dpath_order(struct ibv_wc *wc, int n)
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
			wc[i].imm_data = be32toh(wc[i].imm_data);
}

// Polls again, up to tries times, until there is something or the queue is closed, which is looked at now and then. It is apart
// so that a single poll saves fewer registers.
static __attribute__((noinline)) int verbsgen_dpath_spin(const uintptr_t *gate, struct ibv_cq *q, struct ibv_wc *wc, int n, long tries)
{
	enum { LOOK = 64 };
	int (*poll)(struct ibv_cq *, int, struct ibv_wc *) = q->context->ops.poll_cq;
	int found = 0;

	while (__builtin_expect(found == 0, 1) && tries > 0) {
		long left = tries < LOOK ? tries : LOOK;

		tries -= left;
#pragma GCC unroll 4
		do
			found = poll(q, n, wc);
		while (__builtin_expect(found == 0, 1) && --left > 0);
		if (__builtin_expect(found == 0 && verbsgen_gate_object(gate) == 0, 0))
			return -VERBSGEN_GATE_CLOSED;
	}
	return found;
}

// Polls up to tries times, until there is something. got is below 0 when something is wrong.
static inline __attribute__((always_inline)) void verbsgen_dpath_poll(const uintptr_t *gate, uint8_t *wcs, int n, long tries, int *got)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	struct ibv_wc *wc = (struct ibv_wc *)wcs;
	struct ibv_cq *q;
	int found;

	if (slot == NULL) {
		*got = -VERBSGEN_GATE_NO_MEMORY;
		return;
	}
	q = (struct ibv_cq *)verbsgen_gate_object(gate);
	if (__builtin_expect(q == NULL, 0)) {
		verbsgen_gate_leave(slot);
		*got = -VERBSGEN_GATE_CLOSED;
		return;
	}
	found = q->context->ops.poll_cq(q, n, wc);
	if (found == 0 && tries > 1)
		found = verbsgen_dpath_spin(gate, q, wc, n, tries - 1);
	verbsgen_gate_leave(slot);
	verbsgen_dpath_order(wc, found < n ? found : n);
	*got = found;
}

static void verbsgen_dpath_notify(const uintptr_t *gate, int solicited, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	struct ibv_cq *q;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	q = (struct ibv_cq *)verbsgen_gate_object(gate);
	if (q == NULL) {
		*code = VERBSGEN_GATE_CLOSED;
	} else {
		*code = q->context->ops.req_notify_cq(q, solicited);
		if (*code != 0)
			*code = verbsgen_dpath_errno(*code);
	}
	verbsgen_gate_leave(slot);
}

#endif
