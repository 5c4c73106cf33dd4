//go:build linux && cgo

// Errors on order: the nth call of a verb fails with an errno. Also the names of verbs and ops.

#include "instance.h"

struct name {
	const char *text;
	int id;
};

static const struct name verbs[] = {
#define VERB(id, name) {#name, SVB_##id},
#define ALIAS(id, name) {#name, SVB_##id},
#include "table.h"
};

static const struct name ops[] = {
#define OP(member, present, function) {#member, SVB_OP_##member},
#include "table.h"
};

static int find(const struct name *names, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i].text, text))
			return names[i].id;
	return -1;
}

int svb_verb_of(const char *name)
{
	return find(verbs, sizeof verbs / sizeof *verbs, name);
}

int svb_op_of(const char *name)
{
	return find(ops, sizeof ops / sizeof *ops, name);
}

int svb_arm(int slot, int verb, uint64_t nth, int err)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);
	struct svb_fail *f = in ? calloc(1, sizeof *f) : NULL;

	if (!f)
		return in ? ENOMEM : EINVAL;
	*f = (struct svb_fail){.left = nth, .err = err, .next = in->fails[verb]};
	in->fails[verb] = f;
	__atomic_store_n(&in->armed[verb], 1, __ATOMIC_RELAXED);
	return 0;
}

int svb_struck_locked(struct svb_inst *in, enum svb_verb v)
{
	struct svb_fail **p = &in->fails[v], *f;
	int err = 0;

	while ((f = *p)) {
		if (f->left == 0) { // each call
			err = f->err;
		} else if (--f->left == 0) { // this call, once
			err = f->err;
			*p = f->next;
			free(f);
			continue;
		}
		p = &f->next;
	}
	if (!in->fails[v])
		__atomic_store_n(&in->armed[v], 0, __ATOMIC_RELAXED);
	return err;
}

int svb_struck(struct svb_inst *in, enum svb_verb v)
{
	SVB_LOCKED;

	return svb_struck_locked(in, v);
}

void svb_disarm(struct svb_inst *in)
{
	struct svb_fail *f;
	int v;

	for (v = 0; v < SVB_VERBS; v++)
		while ((f = in->fails[v])) {
			in->fails[v] = f->next;
			free(f);
		}
}
