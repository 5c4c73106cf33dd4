// Operations on the tags of a shared receive queue, for post_cgo.go.
#ifndef VERBSGEN_DPATH_OPS_H
#define VERBSGEN_DPATH_OPS_H

// A context that does not lie in a verbs_context, or in one that is too old, has no such operation.
static inline int verbsgen_dpath_post_srq_ops_in(struct verbsgen_gate_slot *slot, struct ibv_srq *q, struct ibv_ops_wr *first,
						 struct ibv_ops_wr *last, struct ibv_ops_wr **bad)
{
	struct verbs_context *v = (struct verbs_context *)((uintptr_t)q->context - offsetof(struct verbs_context, context));
	struct ibv_ops_wr *rest = last->next;
	int code;

	(void)slot;
	if (q->context->abi_compat != (void *)UINTPTR_MAX || v->sz < sizeof *v - offsetof(struct verbs_context, post_srq_ops) || v->post_srq_ops == NULL) {
		*bad = first;
		return EOPNOTSUPP;
	}
	last->next = NULL;
	code = v->post_srq_ops(q, first, bad);
	last->next = rest;
	return code;
}

#endif
