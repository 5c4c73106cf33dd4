// The lock.
#include "base.h"

pthread_mutex_t scm_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
