// Callbacks of a provider without a rule of alignment. Every copy is answered with the code in fake_answer when that is
// set, so that tests can have any code returned.
#include "provider.h"

FAKE_API int fake_answer;

int fake_to_dm(struct ibv_dm *dm, uint64_t off, const void *host, size_t len)
{
	struct fake_dm *d = (struct fake_dm *)dm;

	FAKE_CALL(0);
	if (fake_answer != 0)
		return fake_answer;
	if (off > d->length || len > d->length - off)
		return ERANGE;
	memcpy(d->start + off, host, len);
	return 0;
}

int fake_from_dm(void *host, struct ibv_dm *dm, uint64_t off, size_t len)
{
	struct fake_dm *d = (struct fake_dm *)dm;

	FAKE_CALL(1);
	if (fake_answer != 0)
		return fake_answer;
	if (off > d->length || len > d->length - off)
		return ERANGE;
	memcpy(host, d->start + off, len);
	return 0;
}
