// The ops of a fake provider: device memory is anonymous pages.
#include "provider.h"

FAKE_API unsigned long fake_calls[2];

static struct fake_dm *all;
static uint32_t last_handle;

static size_t mapping_size(uint64_t length)
{
	return (size_t)((length + FAKE_START + 4095) & ~(uint64_t)4095);
}

// A provider without FAKE_TO and FAKE_FROM leaves the callbacks as malloc gave them.
static void set_callbacks(struct ibv_dm *dm)
{
	(void)dm;
#ifdef FAKE_TO
	*(void **)(void *)&dm->memcpy_to_dm = (void *)(uintptr_t)FAKE_TO;
	*(void **)(void *)&dm->memcpy_from_dm = (void *)(uintptr_t)FAKE_FROM;
#endif
}

FAKE_API struct ibv_dm *fake_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct fake_dm *d;

	if (attr->comp_mask != 0 || attr->length == 0 || attr->length > (UINT64_C(1) << 32)) {
		errno = EINVAL;
		return NULL;
	}
	// Not zeroed: what the provider leaves alone is what the caller finds.
	d = malloc(sizeof *d);
	if (d == NULL)
		return NULL;
	memset(d, 0x5a, sizeof *d);
	d->pages = mmap(NULL, mapping_size(attr->length), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (d->pages == MAP_FAILED) {
		free(d);
		errno = ENOMEM;
		return NULL;
	}
	d->start = d->pages + FAKE_START;
	d->length = attr->length;
	d->dm.context = context;
	d->dm.comp_mask = 0;
	d->dm.handle = ++last_handle;
	set_callbacks(&d->dm);
	d->next = all;
	all = d;
	return &d->dm;
}

// Takes an object out of the list; its pages go with the last object over them.
static void forget(struct fake_dm *d)
{
	struct fake_dm **p = &all, *other;
	int shared = 0;

	while (*p != NULL && *p != d)
		p = &(*p)->next;
	if (*p == d)
		*p = d->next;
	for (other = all; other != NULL; other = other->next)
		shared |= other->pages == d->pages;
	if (!shared)
		munmap(d->pages, mapping_size(d->length));
	free(d);
}

// What the next fake_free_dm answers, without freeing anything, when it is not 0.
FAKE_API int fake_refuse_free;

// Unmaps, as a real provider does: a direct access afterwards is a fault.
FAKE_API int fake_free_dm(struct ibv_dm *dm)
{
	int code = fake_refuse_free;

	fake_refuse_free = 0;
	if (code == 0)
		forget((struct fake_dm *)dm);
	return code;
}

FAKE_API struct ibv_dm *fake_import_dm(struct ibv_context *context, uint32_t handle)
{
	struct fake_dm *d, *from;

	for (from = all; from != NULL; from = from->next) {
		if (from->dm.handle == handle)
			break;
	}
	if (from == NULL) {
		errno = EINVAL;
		return NULL;
	}
	d = calloc(1, sizeof *d);
	if (d == NULL)
		return NULL;
	*d = *from;
	d->dm.context = context;
	d->next = all;
	all = d;
	return &d->dm;
}

FAKE_API void fake_unimport_dm(struct ibv_dm *dm)
{
	forget((struct fake_dm *)dm);
}

FAKE_API struct ibv_mr *fake_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t off, size_t len, unsigned int access)
{
	static uint32_t last_key;
	struct fake_dm *d = (struct fake_dm *)dm;
	struct ibv_mr *mr;

	if (!(access & IBV_ACCESS_ZERO_BASED) || off > d->length || len > d->length - off) {
		errno = EINVAL;
		return NULL;
	}
	mr = calloc(1, sizeof *mr);
	if (mr == NULL)
		return NULL;
	mr->context = pd->context;
	mr->pd = pd;
	mr->length = len;
	mr->handle = mr->lkey = mr->rkey = ++last_key;
	return mr;
}

FAKE_API int fake_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

// The object that was made last.
FAKE_API struct ibv_dm *fake_newest(void)
{
	return all == NULL ? NULL : &all->dm;
}

// First byte of the memory behind an object, for tests to look at.
FAKE_API void *fake_bytes(struct ibv_dm *dm)
{
	return ((struct fake_dm *)dm)->start;
}

// Contexts stay for good; one that no test holds any more is still in this chain, so that it is no leak.
static struct kept {
	struct verbs_context context;
	struct kept *next;
} *contexts;

// A context whose only working ops are those of device memory.
FAKE_API struct ibv_context *fake_open(void)
{
	struct kept *k = calloc(1, sizeof *k);
	struct verbs_context *v;

	if (k == NULL)
		return NULL;
	k->next = contexts;
	contexts = k;
	v = &k->context;
	v->sz = sizeof *v;
	v->context.abi_compat = (void *)UINTPTR_MAX;
	v->context.cmd_fd = -1;
	v->context.async_fd = -1;
	v->alloc_dm = fake_alloc_dm;
	v->free_dm = fake_free_dm;
	v->reg_dm_mr = fake_reg_dm_mr;
	return &v->context;
}

// As what rdma-core 28.1 to 32 put in the place of a missing extended query: it writes the plain attributes only.
FAKE_API int fake_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
				  struct ibv_device_attr_ex *attr, size_t size)
{
	(void)context, (void)input, (void)size;
	memset(&attr->orig_attr, 0, sizeof(attr->orig_attr));
	attr->orig_attr.max_mr = 1;
	return 0;
}
