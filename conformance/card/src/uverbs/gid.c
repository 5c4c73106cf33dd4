#include <rdma/ib_user_ioctl_verbs.h>

#include "uverbs/gid.h"
#include "uverbs/provider.h"

// entries are how many GIDs a device has at most.
static int entries(const struct device *dev)
{
	return dev->infiniband ? 1 : (int)dev->provider->gids;
}

// entry fills in GID number k of a device and returns its type, or -1 if the device lacks it.
static int entry(const struct device *dev, int k, uint8_t gid[16])
{
	static const uint8_t link_local[16] = {0xfe, 0x80, [8] = 0x9a, 0x03, 0x9b, 0xff, 0xfe},
		mapped[16] = {[10] = 0xff, 0xff, 192, 168, 77};

	memset(gid, 0, 16);
	if (k >= entries(dev) || dev->gids[k] < 0)
		return -1;
	memcpy(gid, k < 2 ? link_local : mapped, 16);
	gid[15] = (uint8_t)(dev->index + 1);
	if (dev->infiniband)
		return IB_UVERBS_GID_TYPE_IB;
	return k & 1 ? IB_UVERBS_GID_TYPE_ROCE_V2 : IB_UVERBS_GID_TYPE_ROCE_V1;
}

int gid_at(const struct device *dev, uint32_t index, uint8_t gid[16])
{
	for (int k = 0; k < entries(dev); k++)
		if (dev->gids[k] == (int)index)
			return entry(dev, k, gid);
	memset(gid, 0, 16);
	return -1;
}

void gid_first(const struct device *dev, uint8_t gid[16])
{
	for (int k = 0; k < entries(dev) && entry(dev, k, gid) < 0;)
		k++;
}

struct device *gid_owner(const uint8_t gid[16])
{
	uint8_t own[16];

	for (int i = 0; i < ndevices; i++)
		for (int k = 0; k < GIDS; k++)
			if (entry(&devices[i], k, own) >= 0 && !memcmp(own, gid, 16))
				return &devices[i];
	return NULL;
}

uint16_t gid_lid(const struct device *dev)
{
	return dev && dev->infiniband ? (uint16_t)(dev->index + 1) : 0;
}

void gid_of_lid(uint16_t lid, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (lid && lid <= ndevices)
		gid_first(&devices[lid - 1], gid);
}

int gid_path(const struct device *dev, bool global, uint32_t source)
{
	if (!global)
		return dev->infiniband ? 0 : EINVAL;
	return gid_check(dev, source);
}

int gid_check(const struct device *dev, uint32_t index)
{
	uint8_t gid[16];

	if (index >= GID_TABLE)
		return EINVAL;
	return gid_at(dev, index, gid) < 0 ? ENODATA : 0;
}

bool gid_ipv4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, 0xff};

	return !memcmp(gid, mapped, sizeof mapped);
}

bool gid_multicast(const uint8_t gid[16])
{
	return gid[0] == 0xff || (gid_ipv4(gid) && gid[12] >> 4 == 0xe);
}

int gid_resolve(const struct device *dev, uint32_t source, const uint8_t gid[16])
{
	static const uint8_t network[15] = {[10] = 0xff, 0xff, 192, 168, 77};
	const bool link_local = gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
	uint8_t own[16];
	const int type = gid_at(dev, source, own);

	if (dev->infiniband || gid_multicast(gid) || (link_local && type == IB_UVERBS_GID_TYPE_ROCE_V1))
		return 0;
	if (type >= 0 && gid_ipv4(own) != gid_ipv4(gid)) // core/addr.c, rdma_resolve_ip
		return EINVAL;
	if (gid_owner(gid))
		return 0;
	return link_local || !memcmp(gid, network, sizeof network) ? ETIMEDOUT : ENETUNREACH;
}
