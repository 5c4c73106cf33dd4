// What Go does with an instance from the outside.
#ifndef SVB_CONTROL_H
#define SVB_CONTROL_H

#include "instance.h"

// machine.c
SVB_HIDDEN int svb_new(const struct svb_config *cfg); // slot, or -errno
SVB_HIDDEN int svb_close(int slot);                   // 0, EBUSY with open contexts

// trouble.c: 0, or an errno
SVB_HIDDEN int svb_set_gone(int slot, const char *device);
SVB_HIDDEN int svb_set_port(int slot, const char *device, unsigned port, bool up);
SVB_HIDDEN int svb_hold(int slot, const char *device, uint32_t qpn, bool hold); // completions of a queue pair wait, or no longer
SVB_HIDDEN int svb_delay(int slot, uint64_t least, uint64_t most); // ns that completions wait; most 0: they do not

struct svb_memlock {
	uint64_t limit, pinned; // bytes
};
SVB_HIDDEN void svb_memlock(int slot, const char *device, struct svb_memlock *out); // zero for no such device

// symbol.c
SVB_HIDDEN uintptr_t svb_symbol(int slot, const char *name, const char *version); // 0: not in this library

#endif
