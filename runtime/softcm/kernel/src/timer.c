// Timers, and the thread that rings them. It starts with the first timer.
#include <signal.h>
#include <time.h>

#include "kernel.h"

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_until(struct scm_machine *m, uint64_t due)
{
	struct timespec t = {.tv_sec = (time_t)(due / 1000000000u), .tv_nsec = (long)(due % 1000000000u)};

	pthread_cond_timedwait(&m->changed, &scm_lock, &t);
}

static void *run(void *arg)
{
	struct scm_machine *m = arg;
	struct scm_id *id;

	scm_lock_all();
	while (!m->ending) {
		id = TAILQ_FIRST(&m->timers);
		if (!id) {
			pthread_cond_wait(&m->changed, &scm_lock);
		} else if (id->due > now()) {
			wait_until(m, id->due);
		} else {
			scm_timer_stop(id);
			id->ring(id);
		}
	}
	scm_unlock_all();
	return NULL;
}

// The thread takes no signals: those are for the threads of the program. Without a thread nothing ever rings.
static void start(struct scm_machine *m)
{
	pthread_condattr_t attr;
	sigset_t all, old;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->changed, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	m->running = !pthread_create(&m->clock, NULL, run, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!m->running)
		pthread_cond_destroy(&m->changed);
}

// Most timers run for the same time, so that the place of a new one is at the end.
void scm_timer_set(struct scm_id *id, uint64_t ns, void (*ring)(struct scm_id *))
{
	struct scm_machine *m = id->m;
	struct scm_id *before;

	scm_timer_stop(id);
	id->due = now() + ns;
	id->ring = ring;
	TAILQ_FOREACH_REVERSE(before, &m->timers, scm_timers, in_timers)
		if (before->due <= id->due)
			break;
	if (before)
		TAILQ_INSERT_AFTER(&m->timers, before, id, in_timers);
	else
		TAILQ_INSERT_HEAD(&m->timers, id, in_timers);
	if (!m->running)
		start(m);
	else if (!before)
		pthread_cond_signal(&m->changed);
}

void scm_timer_stop(struct scm_id *id)
{
	if (id->due)
		TAILQ_REMOVE(&id->m->timers, id, in_timers);
	id->due = 0;
}

void scm_clock_stop(struct scm_machine *m)
{
	pthread_t clock = m->clock;

	m->ending = true;
	if (!m->running)
		return;
	pthread_cond_signal(&m->changed);
	scm_unlock_all();
	pthread_join(clock, NULL);
	scm_lock_all();
	pthread_cond_destroy(&m->changed);
	m->running = false;
}
