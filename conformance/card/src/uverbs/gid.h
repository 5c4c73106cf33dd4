// The GID table of port 1, the only port of each device: a link-local GID and an IPv4 address, each as RoCE v1 and v2; fewer where the
// provider says so. A table without RoCE has the first of them.
#ifndef CARD_GID_H
#define CARD_GID_H

#include "base.h"

enum { GIDS = 4, GID_TABLE = 256 };

// gid_at fills in entry index and returns its type (IBV_GID_TYPE_*), or -1 if the entry is empty.
int gid_at(const struct device *, uint32_t index, uint8_t gid[16]) HIDDEN;

// gid_owner returns the device that has the GID, or NULL.
struct device *gid_owner(const uint8_t gid[16]) HIDDEN;

// gid_check returns the error of a source GID index (core/cache.c, rdma_get_gid_attr).
int gid_check(const struct device *, uint32_t index) HIDDEN;

// gid_resolve returns the error of looking for a destination (core/verbs.c, ib_resolve_eth_dmac): a link-local one of RoCE v1 needs no
// look-up; one of this network that nobody has does not answer; to all else there is no route.
int gid_resolve(const struct device *, uint32_t source, const uint8_t gid[16]) HIDDEN;

#endif
