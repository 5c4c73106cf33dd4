#ifndef VG_LINUX_IF_ETHER_H
#define VG_LINUX_IF_ETHER_H

#define ETH_ALEN 6
#define ETH_HLEN 14

#endif
