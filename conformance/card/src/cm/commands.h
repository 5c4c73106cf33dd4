// The commands that are written to the file.
#ifndef CARD_CM_COMMANDS_H
#define CARD_CM_COMMANDS_H

#include "cm/cm.h"

struct cm_file {
	struct scm_channel ch; // with the events
	int waiting;           // calls for events, which keep a file that is closed
	bool closed;
};

// cm_file_end ends a file that is closed, when nobody waits for its events any more. It is called with scm_lock held.
void cm_file_end(struct cm_file *) HIDDEN;

#endif
