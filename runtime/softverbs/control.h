// What Go does with an instance from the outside.
#ifndef SVB_CONTROL_H
#define SVB_CONTROL_H

#include "instance.h"

// machine.c
SVB_HIDDEN int svb_new(const struct svb_config *cfg); // slot, or -errno
SVB_HIDDEN int svb_close(int slot);                   // 0, EBUSY with open contexts

// symbol.c
SVB_HIDDEN uintptr_t svb_symbol(int slot, const char *name, const char *version); // 0: not in this library

#endif
