#include "wire/net.h"

enum { NUMBERS = 1 << 14, FIRST = 0x40 };

static struct qp *qps[NUMBERS];
static uint32_t highest;

// Numbers are not used again soon, so that a message to a destroyed queue pair reaches nobody.
int net_join(struct qp *q)
{
	static uint32_t last = FIRST;

	for (int i = 0; i < NUMBERS; i++) {
		last = last + 1 < NUMBERS ? last + 1 : FIRST;
		if (!qps[last]) {
			qps[last] = q;
			q->number = last;
			highest = MAX(highest, last);
			return 0;
		}
	}
	return ENOMEM;
}

void net_leave(struct qp *q)
{
	qps[q->number] = NULL;
	while (highest && !qps[highest])
		highest--;
}

struct qp *net_find(uint32_t number)
{
	return number < NUMBERS ? qps[number] : NULL;
}

void net_each(bool (*f)(struct qp *, void *), void *arg)
{
	for (uint32_t i = FIRST; i <= highest; i++)
		if (qps[i] && !f(qps[i], arg))
			return;
}
