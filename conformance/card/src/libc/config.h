// The folder in which libibverbs reads which providers to load: not the machine's, but one that names those of the devices here.
#ifndef CARD_CONFIG_H
#define CARD_CONFIG_H

#include "base.h"

// config_path returns the path to use for a path: in /etc/libibverbs.d, the same file in the folder that CARD_DRIVERS names. to has room
// for PATH_MAX bytes.
const char *config_path(const char *path, char *to) HIDDEN;

#endif
