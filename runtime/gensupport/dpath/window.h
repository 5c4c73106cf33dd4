// Requests that bind memory windows, for post_cgo.go: a provider follows the addresses of the window and of its region, so a post
// looks first at whether both are open.
#ifndef VERBSGEN_DPATH_WINDOW_H
#define VERBSGEN_DPATH_WINDOW_H

#define VERBSGEN_DPATH_WINDOW UINT32_MAX // windowMark of window.go

struct verbsgen_dpath_bind { // bind of window.go: a request from its union wr on
	uintptr_t window; // entries, as address.go has them
	uint64_t window_serial;
	uintptr_t region;
	uint32_t region_low; // the serial of the region, in two halves
	uint32_t ours, srqn;
	uint32_t region_high;
};

// Whether the program ever named a window in a request. Before that no post looks for such requests.
static int verbsgen_dpath_windows;

static void verbsgen_dpath_watch_windows(void) { __atomic_store_n(&verbsgen_dpath_windows, 1, __ATOMIC_RELEASE); }

// Says why an object must not be followed by a provider.
static int verbsgen_dpath_unnamed(uintptr_t entry, uint64_t serial, const void *object, const struct ibv_context *context)
{
	const struct verbsgen_dpath_entry *e = (const struct verbsgen_dpath_entry *)entry;

	if (e == NULL || __atomic_load_n(&e->serial, __ATOMIC_ACQUIRE) != serial || e->object != (uintptr_t)object)
		return VERBSGEN_DPATH_WINDOW_CLOSED;
	return *(struct ibv_context *const *)object == context ? 0 : VERBSGEN_DPATH_WINDOW_DEVICE;
}

// Says why a request that binds a window must not be posted.
static int verbsgen_dpath_unbindable(const struct ibv_qp *q, const struct ibv_send_wr *wr)
{
	const struct verbsgen_dpath_bind *b = (const struct verbsgen_dpath_bind *)&wr->wr;
	int why = verbsgen_dpath_unnamed(b->window, b->window_serial, wr->bind_mw.mw, q->context);

	if (why != 0)
		return why;
	return verbsgen_dpath_unnamed(b->region, (uint64_t)b->region_high << 32 | b->region_low, wr->bind_mw.bind_info.mr, q->context);
}

// The window has the key of a request that was posted: providers look at it when they take the next one. The program chooses the last
// byte of it alone.
static void verbsgen_dpath_bound(const struct ibv_send_wr *wr)
{
	uint32_t *key = &wr->bind_mw.mw->rkey;

	__atomic_store_n(key, (__atomic_load_n(key, __ATOMIC_RELAXED) & ~(uint32_t)0xff) | (wr->bind_mw.rkey & 0xff), __ATOMIC_RELAXED);
}

// Posts requests up to the first that must not be posted. One that binds a window ends a call of the provider, so that the window has
// its new key in the next one.
static __attribute__((noinline)) int verbsgen_dpath_binds(struct verbsgen_gate_slot *slot, struct ibv_qp *q, struct ibv_send_wr *first,
							  struct ibv_send_wr *last, struct ibv_send_wr **bad)
{
	struct ibv_send_wr *wr, *rest, *end = NULL;
	int code = 0, why = 0;

	verbsgen_gate_beside(slot, &verbsgen_dpath_addresses);
	for (wr = first; wr != NULL && code == 0 && why == 0; wr = rest) {
		int binds = wr->opcode == IBV_WR_BIND_MW;

		rest = wr == last ? NULL : wr->next;
		if (binds)
			why = verbsgen_dpath_unbindable(q, wr);
		if (why == 0)
			end = wr;
		else
			*bad = wr;
		if (end != NULL && (binds || rest == NULL)) {
			struct ibv_send_wr *next = end->next, *refused = NULL;

			end->next = NULL;
			code = q->context->ops.post_send(q, first, &refused);
			end->next = next;
			if (code != 0)
				*bad = refused;
			else if (why == 0 && binds)
				verbsgen_dpath_bound(wr);
			first = rest;
			end = NULL;
		}
	}
	verbsgen_gate_leave_beside(slot);
	return code != 0 ? code : why;
}

// For generated streams of commands, which look at all requests before they build the first: as verbsgen_dpath_address, with the
// number of the request in bad. verbsgen_dpath_addressed must follow when *named is set. Once they are posted, verbsgen_dpath_keys must follow.
int verbsgen_dpath_bindable(void *slot, const void *qp, const void *first, int64_t n, int64_t *bad, int *named);
void verbsgen_dpath_keys(const void *first, int64_t n);

int verbsgen_dpath_bindable(void *slot, const void *qp, const void *first, int64_t n, int64_t *bad, int *named)
{
	const struct ibv_send_wr *wr = first;
	int why = 0;

	if (__builtin_expect(!verbsgen_dpath_windows, 1))
		return 0;
	for (*bad = 0; *bad < n; ++*bad, wr++) {
		if (wr->opcode != IBV_WR_BIND_MW)
			continue;
		if (!*named)
			verbsgen_gate_beside(slot, &verbsgen_dpath_addresses);
		*named = 1;
		why = verbsgen_dpath_unbindable(qp, wr);
		if (why != 0)
			return why;
	}
	return 0;
}

void verbsgen_dpath_keys(const void *first, int64_t n)
{
	const struct ibv_send_wr *wr = first;

	if (__builtin_expect(!verbsgen_dpath_windows, 1))
		return;
	for (; n > 0; n--, wr++)
		if (wr->opcode == IBV_WR_BIND_MW)
			verbsgen_dpath_bound(wr);
}

#endif
