//go:build linux && cgo

#include <sys/mman.h>
#include "provider.h"

enum { PAGE = 4096 };

static void *page(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct ibv_qp *dp_mortal_qp(struct dp_provider *p)
{
	struct ibv_qp *qp = page();

	if (qp != NULL)
		qp->context = &p->context;
	return qp;
}

struct ibv_cq *dp_mortal_cq(struct dp_provider *p)
{
	struct ibv_cq *cq = page();

	if (cq != NULL)
		cq->context = &p->context;
	return cq;
}

// The page stays mapped without access, so that its address does not become that of other memory.
int dp_destroy(void *queue) { return mprotect(queue, PAGE, PROT_NONE); }
