#define _GNU_SOURCE
#include <rdma/ib_user_ioctl_cmds.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uverbs/event.h"
#include "uverbs/object.h"
#include "uverbs/provider.h"

struct context {
	struct context *next;
	struct device *dev;
	uint8_t *pages;
	struct object **slots; // by handle
	uint32_t count;
	bool begun;
	struct channel *async;
};

static struct context *contexts;

struct context *context_new(struct device *dev, int fd)
{
	const size_t size = dev->provider->size;
	struct context *c = calloc(1, sizeof *c);

	if (!c || ftruncate(fd, (off_t)size))
		goto fail;
	c->pages = (uint8_t *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (c->pages == MAP_FAILED)
		goto fail;
	c->dev = dev;
	c->next = contexts;
	contexts = c;
	return c;
fail:
	free(c);
	return NULL;
}

struct device *context_device(const struct context *c)
{
	return c->dev;
}

uint8_t *context_pages(const struct context *c)
{
	return c->pages;
}

int context_begin(struct context *c)
{
	if (c->begun)
		return EINVAL;
	c->begun = true;
	return 0;
}

bool context_begun(const struct context *c)
{
	return c->begun;
}

struct channel **context_async(struct context *c)
{
	return &c->async;
}

// Objects are released in rounds, those that nothing needs first (uverbs_destroy_ufile_hw does the same).
void context_end(struct context *c)
{
	struct context **p = &contexts;
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i] && !c->slots[i]->users) {
				c->slots[i]->end(c->slots[i]);
				any = true;
			}
	}
	channels_end(c);
	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	munmap(c->pages, c->dev->provider->size);
	free(c->slots);
	free(c);
}

int object_add(struct context *c, struct object *o, int type, void (*end)(struct object *))
{
	uint32_t i = 0;

	while (i < c->count && c->slots[i])
		i++;
	if (i == c->count) {
		uint32_t n = c->count ? 2 * c->count : 16;
		struct object **slots = realloc(c->slots, n * sizeof(struct object *));

		if (!slots)
			return ENOMEM;
		memset(slots + c->count, 0, (n - c->count) * sizeof(struct object *));
		c->slots = slots;
		c->count = n;
	}
	c->slots[i] = o;
	o->ctx = c;
	o->handle = i;
	o->type = type;
	o->end = end;
	return 0;
}

void object_drop(struct object *o)
{
	o->ctx->slots[o->handle] = NULL;
	free(o);
}

void object_replace(struct object *o, struct object *other)
{
	if (o->ctx)
		o->ctx->slots[o->handle] = NULL;
	o->ctx = other->ctx;
	o->handle = other->handle;
	o->user = other->user;
	o->async_raised = other->async_raised;
	o->ctx->slots[o->handle] = o;
	free(other);
}

void *object_get(struct context *c, int type, uint64_t handle, int *err)
{
	struct object *o;

	*err = ENOENT;
	if (handle >= c->count || !c->slots[handle])
		return NULL;
	o = c->slots[handle];
	*err = o->type == type ? 0 : EINVAL;
	return *err ? NULL : o;
}

int object_destroy(struct context *c, int type, uint64_t handle)
{
	int err;
	struct object *o = object_get(c, type, handle, &err);

	if (!o)
		return err;
	if (o->users)
		return EBUSY;
	o->end(o);
	return 0;
}

void object_each(int type, void (*f)(struct object *, void *), void *arg)
{
	for (struct context *c = contexts; c; c = c->next)
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i] && c->slots[i]->type == type && !c->slots[i]->inherited)
				f(c->slots[i], arg);
}

bool context_any(void)
{
	return contexts;
}

void context_each(void (*f)(struct context *))
{
	for (struct context *c = contexts; c; c = c->next)
		f(c);
}

void object_forked(void)
{
	for (struct context *c = contexts; c; c = c->next)
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i])
				c->slots[i]->inherited = true;
}
