#ifndef VG_UNISTD_H
#define VG_UNISTD_H

#include <sys/types.h>

int close(int fd);

#endif
