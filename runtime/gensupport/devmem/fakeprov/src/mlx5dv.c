// mlx5dv_init_obj for device memory, in the two versions that libmlx5 has. What they do differs here so that a test can
// tell which one was called: 1.0 is as good as 1.2 for device memory in the real library, here it says ENXIO unless
// it is all there is.
#include "provider.h"

struct dv_dm {
	void *buf;
	uint64_t length;
	uint64_t comp_mask;
	uint64_t remote_va;
};

struct dv_pair {
	void *in;
	void *out;
};

#define DV_SLOT_DM 4 // qp, cq, srq, rwq, dm

static int get_dm(struct dv_pair *slots, uint64_t types)
{
	struct fake_dm *d;
	struct dv_dm *out;

	if (types != (UINT64_C(1) << DV_SLOT_DM))
		return EINVAL;
	d = slots[DV_SLOT_DM].in;
	out = slots[DV_SLOT_DM].out;
#ifdef FAKE_ICM
	out->buf = NULL;
#else
	out->buf = d->start;
#endif
	out->length = d->length;
	out->comp_mask = 0;
	return 0;
}

#ifndef FAKE_ONLY_1_0
FAKE_API int fake_init_obj_1_2(struct dv_pair *slots, uint64_t types)
{
	return get_dm(slots, types);
}
__asm__(".symver fake_init_obj_1_2, mlx5dv_init_obj@@MLX5_1.2");
#endif

FAKE_API int fake_init_obj_1_0(struct dv_pair *slots, uint64_t types)
{
#ifdef FAKE_ONLY_1_0
	return get_dm(slots, types);
#else
	(void)slots;
	(void)types;
	return ENXIO;
#endif
}
__asm__(".symver fake_init_obj_1_0, mlx5dv_init_obj@MLX5_1.0");
