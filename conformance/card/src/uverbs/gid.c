#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "uverbs/gid.h"
#include "uverbs/provider.h"

int gid_at(const struct device *dev, uint32_t index, uint8_t gid[16])
{
	static const uint8_t link_local[16] = {0xfe, 0x80, [8] = 0x9a, 0x03, 0x9b, 0xff, 0xfe},
		mapped[16] = {[10] = 0xff, 0xff, 192, 168, 77};

	memset(gid, 0, 16);
	if (index >= dev->provider->gids)
		return -1;
	memcpy(gid, index < 2 ? link_local : mapped, 16);
	gid[15] = (uint8_t)(dev->index + 1);
	return index & 1 ? IB_UVERBS_GID_TYPE_ROCE_V2 : IB_UVERBS_GID_TYPE_ROCE_V1;
}

struct device *gid_owner(const uint8_t gid[16])
{
	uint8_t own[16];

	for (int i = 0; i < ndevices; i++)
		for (uint32_t k = 0; k < GIDS; k++)
			if (gid_at(&devices[i], k, own) >= 0 && !memcmp(own, gid, 16))
				return &devices[i];
	return NULL;
}

int gid_check(const struct device *dev, uint32_t index)
{
	uint8_t gid[16];

	if (index >= GID_TABLE)
		return EINVAL;
	return gid_at(dev, index, gid) < 0 ? ENODATA : 0;
}

// ipv4 is how the kernel reads a GID (include/rdma/ib_addr.h, rdma_gid2ip).
static bool ipv4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, 0xff};

	return !memcmp(gid, mapped, sizeof mapped);
}

int gid_resolve(const struct device *dev, uint32_t source, const uint8_t gid[16])
{
	static const uint8_t network[15] = {[10] = 0xff, 0xff, 192, 168, 77};
	const bool link_local = gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
	uint8_t own[16];
	const int type = gid_at(dev, source, own);

	if (gid[0] == 0xff || (link_local && type == IB_UVERBS_GID_TYPE_ROCE_V1))
		return 0;
	if (type >= 0 && ipv4(own) != ipv4(gid)) // core/addr.c, rdma_resolve_ip
		return EINVAL;
	if (gid_owner(gid))
		return 0;
	return link_local || !memcmp(gid, network, sizeof network) ? ETIMEDOUT : ENETUNREACH;
}
