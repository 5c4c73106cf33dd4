//go:build linux && cgo

// The exported functions. Some of them, ibv_get_device_list for one, have no argument that says which software libibverbs
// is meant, so each slot has its own copy of those.
#include <stdio.h>

#include "control.h"
#include "entry.h"

#define EACH8(m, h, ...) \
	m(h##0, __VA_ARGS__) m(h##1, __VA_ARGS__) m(h##2, __VA_ARGS__) m(h##3, __VA_ARGS__) \
	m(h##4, __VA_ARGS__) m(h##5, __VA_ARGS__) m(h##6, __VA_ARGS__) m(h##7, __VA_ARGS__)
#define EACH64(m, ...) \
	EACH8(m, 00, __VA_ARGS__) EACH8(m, 01, __VA_ARGS__) EACH8(m, 02, __VA_ARGS__) EACH8(m, 03, __VA_ARGS__) \
	EACH8(m, 04, __VA_ARGS__) EACH8(m, 05, __VA_ARGS__) EACH8(m, 06, __VA_ARGS__) EACH8(m, 07, __VA_ARGS__)
#define COPY(n, name, function, result, type, arg) \
	static __typeof__(*(vg_fn_##name)0) function##_##n; \
	static result function##_##n(type arg) { return function(n, arg); }
#define ADDRESS(n, function) (uintptr_t)function##_##n,

#define SYMBOL_OF_SLOT(name, minor, function, result, type, arg) \
	EACH64(COPY, name, function, result, type, arg) \
	static const uintptr_t function##_copies[SVB_SLOTS] = {EACH64(ADDRESS, function)};
#include "table.h"

static const struct symbol {
	const char *name;
	int minor;
	uintptr_t addr;
	const uintptr_t *of_slot; // set: addr by slot
} symbols[] = {
#define SYMBOL(name, minor, function) {#name, minor, (uintptr_t)function, NULL},
#define SYMBOL_OF_SLOT(name, minor, function, result, type, arg) {#name, minor, 0, function##_copies},
#include "table.h"
};

// A version that is not the default one of the symbol names other code in the real library, so it is not
// here. An empty one stands for the default.
static bool version_fits(int minor, const char *want)
{
	char have[32];

	snprintf(have, sizeof have, "IBVERBS_1.%d", minor);
	return !*want || !strcmp(have, want);
}

uintptr_t svb_symbol(int slot, const char *name, const char *version)
{
	const struct symbol *s;
	struct svb_inst *in;
	int newest;

	svb_lock_all();
	in = svb_slot(slot);
	newest = in ? in->cfg.newest : -1;
	svb_unlock_all();
	for (s = symbols; s < symbols + sizeof symbols / sizeof *symbols; s++)
		if (s->minor <= newest && !strcmp(s->name, name) && version_fits(s->minor, version))
			return s->of_slot ? s->of_slot[slot] : s->addr;
	return 0;
}
