#include "uverbs/provider.h"

struct ib_uverbs_attr *attr(const struct call *c, uint16_t id)
{
	for (int i = 0; i < c->hdr->num_attrs; i++)
		if (c->hdr->attrs[i].attr_id == id)
			return &c->hdr->attrs[i];
	return NULL;
}

// Up to 8 bytes lie in the attribute itself (core/uverbs_ioctl.c, uverbs_attr_ptr_is_inline).
const void *attr_pointer(const struct call *c, uint16_t id, size_t *length)
{
	const struct ib_uverbs_attr *a = attr(c, id);

	*length = a ? a->len : 0;
	if (!a)
		return NULL;
	return a->len <= sizeof a->data ? (const void *)&a->data : (const void *)(uintptr_t)a->data;
}

size_t attr_in(const struct call *c, uint16_t id, void *to, size_t size)
{
	size_t length;
	const void *from = attr_pointer(c, id, &length);

	memset(to, 0, size);
	if (from)
		memcpy(to, from, MIN(length, size));
	return length;
}

uint64_t attr_number(const struct call *c, uint16_t id, uint64_t otherwise)
{
	const struct ib_uverbs_attr *a = attr(c, id);
	uint64_t value = 0;

	if (!a)
		return otherwise;
	if (!a->len) // a handle, descriptor or constant
		return a->data;
	memcpy(&value, &a->data, MIN(a->len, sizeof value));
	return value;
}

// Without the attribute, the handle is one that no object has.
void *attr_object(const struct call *c, uint16_t id, int type)
{
	return object_get(c->ctx, type, attr_number(c, id, ~0ull));
}

void *attr_needed(const struct call *c, struct object *o, uint16_t id, int type)
{
	void *other = attr_object(c, id, type);

	object_needs(o, other);
	return other;
}

void destroys(const struct call *c)
{
	struct object *o = attr_object(c, (uint16_t)c->method->in, (int)c->method->object);
	uint32_t reported;

	object_unused(o);
	reported = event_forget_async(o);
	o->end(o);
	if (c->method->out)
		attr_out32(c, (uint16_t)c->method->out, reported);
}

void attr_out(const struct call *c, uint16_t id, const void *from, size_t size)
{
	struct ib_uverbs_attr *a = attr(c, id);
	uint8_t *to;

	if (!a)
		return;
	to = (uint8_t *)(uintptr_t)a->data;
	memcpy(to, from, MIN(size, a->len));
	if (a->len > size)
		memset(to + size, 0, a->len - size);
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

void attr_out32(const struct call *c, uint16_t id, uint32_t value)
{
	attr_out(c, id, &value, sizeof value);
}

void attr_created(const struct call *c, uint16_t id, uint64_t value)
{
	struct ib_uverbs_attr *a = attr(c, id);

	if (a)
		a->data = value;
}
