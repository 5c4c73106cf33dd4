//go:build linux && cgo

// The lock.
#include "base.h"

pthread_mutex_t svb_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_cond_t svb_idle = PTHREAD_COND_INITIALIZER;
