// What Go does with a machine from the outside.
#ifndef SCM_CONTROL_H
#define SCM_CONTROL_H

#include "library.h"

// control.c: 0, or an errno, unless they say otherwise
SCM_HIDDEN int scm_new(const struct scm_config *cfg, const uintptr_t *verbs, size_t n); // slot, or -errno
SCM_HIDDEN int scm_close(int slot); // EBUSY with open channels, identifiers or lists
SCM_HIDDEN char *scm_report(int slot); // a line for each of them, to be freed with free()

// trouble.c: 0, or an errno
SCM_HIDDEN int scm_verb_of(const char *name); // -1: unknown
SCM_HIDDEN int scm_fail(int slot, int verb, uint64_t nth, int err);
SCM_HIDDEN int scm_lose(int slot, int message, uint64_t nth);
SCM_HIDDEN int scm_silence(int slot, const struct sockaddr_storage *a, bool on);
SCM_HIDDEN int scm_remove(int slot, const char *device);
SCM_HIDDEN int scm_change_address(int slot, const char *device);

// symbol.c
SCM_HIDDEN uintptr_t scm_symbol(int slot, const char *name, const char *version); // 0: not in this library

#endif
