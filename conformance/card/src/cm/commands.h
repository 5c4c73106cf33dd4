// The commands that are written to the file.
#ifndef CARD_CM_COMMANDS_H
#define CARD_CM_COMMANDS_H

#include "cm/cm.h"

struct cm_file {
	struct scm_channel ch; // with the events
	int waiting;           // calls for events, which keep a file that is closed
	bool closed;
};

struct command {
	struct cm_file *file;
	uint32_t number;
	const void *in;
	size_t in_size, out_size;
	struct scm_id *id; // that it is of, where the table says so
};

// INPUT declares cmd, what a command passes, as far as it goes.
#define INPUT(type, c) struct type cmd = {0}; memcpy(&cmd, (c)->in, MIN(sizeof cmd, (c)->in_size))

static inline void answer(uint64_t to, const void *from, size_t size)
{
	memcpy((void *)(uintptr_t)to, from, size);
}

enum { FAMILY_IB = 27 }; // AF_IB

// query.c
void cm_query(const struct command *) HIDDEN;

// cm_file_end ends a file that is closed, when nobody waits for its events any more. It is called with scm_lock held.
void cm_file_end(struct cm_file *) HIDDEN;

#endif
