//go:build linux && cgo

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dl_iterate_phdr, dlvsym
#endif
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "provider.h"
#include "../verbs_abi.h"

// The value that marks a context of the extended layout.
#define EXTENDED ((void *)UINTPTR_MAX)

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct verbsgen_devmem_place *p = arg;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type != PT_LOAD || p->addr - (info->dlpi_addr + h->p_vaddr) >= h->p_memsz)
			continue;
		p->found = 1;
		p->code = (h->p_flags & PF_X) != 0;
		p->object = info->dlpi_addr;
		if (info->dlpi_name != NULL)
			strncpy(p->name, info->dlpi_name, sizeof p->name - 1);
		return 1;
	}
	return 0;
}

static void place(struct verbsgen_devmem_place *p, uintptr_t addr)
{
	memset(p, 0, sizeof *p);
	p->addr = addr;
	if (addr != 0)
		dl_iterate_phdr(visit, p);
}

// Address of a symbol that the object itself defines, not one of those it depends on.
static uintptr_t own_symbol(const struct verbsgen_devmem_place *op, const char *name, const char *version)
{
	struct verbsgen_devmem_place at;
	void *lib, *sym;

	if (!op->found || op->name[0] == '\0')
		return 0;
	lib = dlopen(op->name, RTLD_LAZY | RTLD_NOLOAD);
	if (lib == NULL)
		return 0;
#ifdef __GLIBC__
	sym = dlvsym(lib, name, version);
#else
	(void)version;
	sym = dlsym(lib, name);
#endif
	dlclose(lib); // takes back the count of dlopen; the provider stays loaded
	place(&at, (uintptr_t)sym);
	return at.found && at.object == op->object ? at.addr : 0;
}

void verbsgen_devmem_inspect(uintptr_t dm, struct verbsgen_devmem_facts *out)
{
	struct ibv_dm *d = (struct ibv_dm *)dm;
	struct ibv_context *ctx = d->context;
	struct verbs_context *v;

	memset(out, 0, sizeof *out);
	place(&out->to, (uintptr_t)d->memcpy_to_dm);
	place(&out->from, (uintptr_t)d->memcpy_from_dm);
	if (ctx == NULL || ctx->abi_compat != EXTENDED)
		return;
	v = (struct verbs_context *)((uintptr_t)ctx - offsetof(struct verbs_context, context));
	// The struct grows at its front: sz tells how much of it, counted from the end, is there.
	if (v->sz < sizeof *v - offsetof(struct verbs_context, alloc_dm))
		return;
	out->has_context = 1;
	place(&out->op, (uintptr_t)v->alloc_dm);
	out->mana = own_symbol(&out->op, "manadv_init_obj", "MANA_1.0") != 0;
}

// The part of the mlx5dv interface that is about device memory. mlx5dv_init_obj takes one pair of pointers for each kind
// of object, and a bit for each kind that is asked about; struct mlx5dv_dm is what it fills in for a device memory.
struct dv_dm {
	void *buf;
	uint64_t length;
	uint64_t comp_mask; // in: optional fields wanted, none
	uint64_t remote_va; // optional
};

struct dv_pair {
	void *in;
	void *out;
};

enum { DV_QP, DV_CQ, DV_SRQ, DV_RWQ, DV_DM, DV_AH, DV_PD, DV_DEVX, DV_KINDS };

_Static_assert(sizeof(struct dv_dm) == 32, "struct mlx5dv_dm");
_Static_assert(offsetof(struct dv_dm, remote_va) == 24, "struct mlx5dv_dm");
_Static_assert(sizeof(struct dv_pair) == 16, "one kind in struct mlx5dv_obj");

void verbsgen_devmem_map(uintptr_t dm, const struct verbsgen_devmem_place *op, struct verbsgen_devmem_mapping *out)
{
	int (*init_obj)(struct dv_pair *, uint64_t);
	struct dv_pair obj[DV_KINDS + 8]; // room for kinds that later releases add
	struct dv_dm answer;
	uintptr_t sym;

	memset(out, 0, sizeof *out);
	memset(obj, 0, sizeof obj);
	memset(&answer, 0, sizeof answer);
	// Both versions do the same for a device memory; they differ for completion queues.
	out->resolved = 12;
	sym = own_symbol(op, "mlx5dv_init_obj", "MLX5_1.2");
	if (sym == 0) {
		out->resolved = 10;
		sym = own_symbol(op, "mlx5dv_init_obj", "MLX5_1.0");
	}
	if (sym == 0) {
		out->resolved = 0;
		return;
	}
	init_obj = (int (*)(struct dv_pair *, uint64_t))sym;
	obj[DV_DM].in = (void *)dm;
	obj[DV_DM].out = &answer;
	out->code = init_obj(obj, UINT64_C(1) << DV_DM);
	if (out->code == 0) {
		out->base = answer.buf;
		out->length = answer.length;
	}
}
