// The kernel's half of the connection manager: the sources of runtime/softcm/kernel, which the Go part puts into the folder softcm.
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#include "softcm/all.c"
