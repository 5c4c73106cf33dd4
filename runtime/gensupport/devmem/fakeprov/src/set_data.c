// A provider whose callbacks point into its own data.
#include "provider.h"

void fake_set_callbacks(struct ibv_dm *dm)
{
	*(void **)(void *)&dm->memcpy_to_dm = (void *)&fake_calls[0];
	*(void **)(void *)&dm->memcpy_from_dm = (void *)&fake_calls[1];
}
