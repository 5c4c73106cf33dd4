//go:build linux && cgo

// The exported functions. Those without an argument that says which library is meant have a copy for each slot.
#include <stdio.h>

#include "control.h"
#include "entry.h"

#define EACH8(m, h, ...) \
	m(h##0, __VA_ARGS__) m(h##1, __VA_ARGS__) m(h##2, __VA_ARGS__) m(h##3, __VA_ARGS__) \
	m(h##4, __VA_ARGS__) m(h##5, __VA_ARGS__) m(h##6, __VA_ARGS__) m(h##7, __VA_ARGS__)
#define EACH64(m, ...) \
	EACH8(m, 00, __VA_ARGS__) EACH8(m, 01, __VA_ARGS__) EACH8(m, 02, __VA_ARGS__) EACH8(m, 03, __VA_ARGS__) \
	EACH8(m, 04, __VA_ARGS__) EACH8(m, 05, __VA_ARGS__) EACH8(m, 06, __VA_ARGS__) EACH8(m, 07, __VA_ARGS__)
#define SCM_NO_ARG(n) (n)
#define SCM_NUM_ARG(n) (n, num)
#define COPY(n, name, result, parameters, args) static result name##_##n parameters { return scm_rdma_##name args(n); }
#define ADDRESS(n, name) (uintptr_t)name##_##n,

#define VERB_OF_SLOT(id, name, minor, result, parameters, args) \
	EACH64(COPY, name, result, parameters, args) \
	static const uintptr_t name##_copies[SCM_SLOTS] = {EACH64(ADDRESS, name)};
#include "table.h"

static const struct symbol {
	const char *name;
	int minor;
	uintptr_t addr;
	const uintptr_t *of_slot; // set: addr by slot
} symbols[] = {
#define VERB(id, name, minor, result, ...) {"rdma_" #name, minor, (uintptr_t)scm_rdma_##name, NULL},
#define PLAIN(name, minor, result, ...) {"rdma_" #name, minor, (uintptr_t)scm_rdma_##name, NULL},
#define VERB_OF_SLOT(id, name, minor, result, parameters, args) {"rdma_" #name, minor, 0, name##_copies},
#include "table.h"
};

uintptr_t scm_symbol(int slot, const char *name, const char *version)
{
	const struct symbol *s;
	char have[32];

	for (s = symbols; s < symbols + sizeof symbols / sizeof *symbols; s++) {
		snprintf(have, sizeof have, "RDMACM_1.%d", s->minor);
		if (!strcmp(s->name, name) && (!*version || !strcmp(version, have)))
			return s->of_slot ? s->of_slot[slot] : s->addr;
	}
	return 0;
}
