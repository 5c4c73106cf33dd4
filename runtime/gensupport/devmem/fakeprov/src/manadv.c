// What tells a MANA provider apart from others under any file name.
#include "provider.h"

FAKE_API int manadv_init_obj(void *obj, uint64_t types)
{
	(void)obj;
	(void)types;
	return EINVAL;
}
