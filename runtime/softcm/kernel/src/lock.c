// The lock.
#include "base.h"

#define UNLOCKED PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

pthread_mutex_t scm_lock = UNLOCKED;

void scm_lock_forked(void)
{
	scm_lock = (pthread_mutex_t)UNLOCKED;
}
