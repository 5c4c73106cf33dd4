// The open files that stand for /dev/infiniband/uverbsN.
//
// Each open is a memfd of its own, so that the inode identifies it: a copy of the descriptor, made by whatever call, is found by
// fstat. fstat of a descriptor is then answered with the character device that it stands for.
#ifndef CARD_FILE_H
#define CARD_FILE_H

#include <sys/stat.h>

#include "base.h"

struct context;

// file_device returns the number of the device that a path names, or -1.
int file_device(const char *path) HIDDEN;

// file_open opens a device.
int file_open(int device, int flags) HIDDEN;

// file_find returns the context that a descriptor is open in, or NULL. It takes the lock.
struct context *file_find(int fd) HIDDEN;

// file_adopt is file_find, for a descriptor with this status that can come from another process too.
struct context *file_adopt(int fd, const struct stat *) HIDDEN;

// file_closed ends the contexts without a descriptor. It is called after a close.
void file_closed(void) HIDDEN;

// file_stat makes st that of the character device.
void file_stat(int device, struct stat *st) HIDDEN;

#endif
