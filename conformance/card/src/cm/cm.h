// The connection manager: the open files that stand for /dev/infiniband/rdma_cm, and the machine below them, which all processes of the
// folder that CARD_WIRE names are.
#ifndef CARD_CM_H
#define CARD_CM_H

#include <rdma/rdma_user_cm.h>
#include <sys/stat.h>

#include "base.h"
#include "softcm/kernel.h"

struct cm_id {
	struct scm_id k;
	uint64_t uid; // that the program chose; 0: of a request that is not accepted
};

// cm_machine returns the machine, or NULL with errno. It is called with scm_lock held, as all below; the first call starts the machine.
struct scm_machine *cm_machine(void) HIDDEN;

// cm_device returns the number of a device here.
int cm_device(const struct scm_dev *) HIDDEN;

// cm_machine_forked has the machine be that of the parent process.
void cm_machine_forked(void) HIDDEN;

// cm_is reports whether a path names the file; cm_stat makes st that of the character device.
bool cm_is(const char *path) HIDDEN;
void cm_stat(struct stat *st) HIDDEN;

// cm_open opens it. cm_write does the command that is written to a descriptor; false: the descriptor is none of these.
int cm_open(int flags) HIDDEN;
bool cm_write(int fd, const void *command, size_t length, ssize_t *done) HIDDEN;

// cm_open_file returns the file of a descriptor, or NULL. It takes no lock, as signal handlers write too. cm_closed ends a file without a
// descriptor; it is called after a close.
struct cm_file;
struct cm_file *cm_open_file(int fd) HIDDEN;
void cm_closed(struct cm_file *) HIDDEN;

// cm_forking is called around a fork: before it, and in both processes after it.
void cm_forking(bool before, bool child) HIDDEN;

#endif
