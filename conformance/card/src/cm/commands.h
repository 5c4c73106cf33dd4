// The commands that are written to the file.
#ifndef CARD_CM_COMMANDS_H
#define CARD_CM_COMMANDS_H

#include "cm/cm.h"

struct cm_file {
	struct scm_channel ch; // with the events
	struct cm_file *next;
	ino_t inode;
	dev_t where;
};

// cm_file_of returns the file of a descriptor, or NULL. It is called with scm_lock held.
struct cm_file *cm_file_of(int fd) HIDDEN;

#endif
