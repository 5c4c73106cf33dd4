#include "wire/wire.h"

static struct qp *qps[NUMBERS];
static uint32_t highest;

int net_join(struct qp *q)
{
	int err = segment_number(&q->number);

	if (err)
		return err;
	qps[q->number] = q;
	highest = MAX(highest, q->number);
	return 0;
}

void net_leave(struct qp *q)
{
	if (qps[q->number] != q) // one over a table has never joined
		return;
	far_drop(q);
	qps[q->number] = NULL;
	segment_release(q->number);
	while (highest && !qps[highest])
		highest--;
}

void net_forked(void)
{
	for (uint32_t i = FIRST_NUMBER; i <= highest; i++) {
		if (qps[i])
			qps[i]->far = NULL;
		qps[i] = NULL;
	}
	highest = 0;
}

struct qp *net_find(uint32_t number)
{
	return number < NUMBERS ? qps[number] : NULL;
}

void net_each(void (*f)(struct qp *, void *), void *arg)
{
	for (uint32_t i = FIRST_NUMBER; i <= highest; i++)
		if (qps[i])
			f(qps[i], arg);
}
