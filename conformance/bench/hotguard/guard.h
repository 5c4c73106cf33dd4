#ifndef HOTGUARD_GUARD_H
#define HOTGUARD_GUARD_H

#include "../../../runtime/gensupport/verbs_abi.h"

// Called before and after what is counted: callgrind writes the counts so far when it is entered.
void hg_mark(void);

// Lets the queues of a context post and poll at the cost of a call: every request is taken, and there is always a completion.
void hg_idle(struct ibv_context *context);

#endif
