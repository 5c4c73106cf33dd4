//go:build linux && cgo

// Answers of queries in which every field has a value of its own.
#include <string.h>

#include "direct.h"

// pattern writes bytes by which every place in a struct can be told from its neighbours; none is 0 or above 127.
static void pattern(void *to, size_t size)
{
	unsigned char *p = to;
	size_t i;

	for (i = 0; i < size; i++)
		p[i] = (unsigned char)(1 + i * 7 % 113);
}

static int pattern_device(struct ibv_context *ctx, const struct ibv_query_device_ex_input *in, struct ibv_device_attr_ex *attr, size_t size)
{
	(void)ctx;
	(void)in;
	pattern(attr, size);
	attr->orig_attr.fw_ver[63] = 0;
	attr->comp_mask = 0;
	return 0;
}

static int pattern_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	(void)ctx;
	(void)port;
	pattern(attr, size);
	return 0;
}

uintptr_t direct_pattern_device(void) { return (uintptr_t)pattern_device; }
uintptr_t direct_pattern_port(void) { return (uintptr_t)pattern_port; }
