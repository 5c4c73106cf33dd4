// The GID table of port 1, the only port of each device: a link-local GID and an IPv4 address, each as RoCE v1 and v2, at the places that
// the device says. The provider may have fewer; a port of InfiniBand, and one without RoCE, has the first of them.
#ifndef CARD_GID_H
#define CARD_GID_H

#include "base.h"

enum { GIDS = 4, GID_TABLE = 256 };

// gid_at fills in entry index and returns its type (IBV_GID_TYPE_*), or -1 if the entry is empty.
int gid_at(const struct device *, uint32_t index, uint8_t gid[16]) HIDDEN;

// gid_first fills in the first GID of a device.
void gid_first(const struct device *, uint8_t gid[16]) HIDDEN;

// gid_lid is the LID of a device, 0 on Ethernet; gid_of_lid fills in the GID of the device that has it, or zeros.
uint16_t gid_lid(const struct device *) HIDDEN;
void gid_of_lid(uint16_t lid, uint8_t gid[16]) HIDDEN;

// gid_path returns the error of a way that has a GRH or not, with a source GID index (core/verbs.c, rdma_check_ah_attr).
int gid_path(const struct device *, bool global, uint32_t source) HIDDEN;

// gid_owner returns the device that has the GID, or NULL.
struct device *gid_owner(const uint8_t gid[16]) HIDDEN;

// gid_ipv4 reports whether a GID is of IPv4 (include/rdma/ib_addr.h, rdma_gid2ip).
bool gid_ipv4(const uint8_t gid[16]) HIDDEN;

// gid_multicast reports whether a GID is that of a group, of IPv4 too (rdma_is_multicast_addr).
bool gid_multicast(const uint8_t gid[16]) HIDDEN;

// gid_check returns the error of a source GID index (core/cache.c, rdma_get_gid_attr).
int gid_check(const struct device *, uint32_t index) HIDDEN;

// gid_resolve returns the error of looking for a destination (core/verbs.c, ib_resolve_eth_dmac): a link-local one of RoCE v1 needs no
// look-up; one of this network that nobody has does not answer; to all else there is no route.
int gid_resolve(const struct device *, uint32_t source, const uint8_t gid[16]) HIDDEN;

#endif
