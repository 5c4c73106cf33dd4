#ifndef VG_SYS_TYPES_H
#define VG_SYS_TYPES_H

#include <stddef.h>
#include <time.h>

typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int mode_t;
typedef unsigned long dev_t;

#endif
