// Folders that are not the machine's: the one in which libibverbs reads which providers to load, which names those of the devices here, and
// those of /sys with the devices, for programs that do not ask libibverbs.
#ifndef CARD_CONFIG_H
#define CARD_CONFIG_H

#include "base.h"

// config_path returns the path to use for a path: in /etc/libibverbs.d, the same file in the folder that CARD_DRIVERS names, and in
// /sys/class/infiniband and infiniband_verbs, that in SYSFS_PATH. to has room for PATH_MAX bytes.
const char *config_path(const char *path, char *to) HIDDEN;

#endif
