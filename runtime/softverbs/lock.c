//go:build linux && cgo

// The lock, and threads.
#include <signal.h>

#include "base.h"

pthread_mutex_t svb_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_cond_t svb_idle = PTHREAD_COND_INITIALIZER;

int svb_quietly(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}
