//go:build linux && cgo

// The lock.
#include "base.h"

pthread_mutex_t scm_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_cond_t scm_acked = PTHREAD_COND_INITIALIZER;
