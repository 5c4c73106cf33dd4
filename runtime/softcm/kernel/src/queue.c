// The events that wait in a channel. Its descriptor is readable while there are any.
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

// readable is called when the first event comes and when the last one goes. The card interposes write, which this must not be.
static void readable(struct scm_channel *ch, bool yes)
{
	uint64_t one = 1;

	if (!ch->ended)
		syscall(yes ? SYS_write : SYS_read, yes ? ch->in : ch->out, &one, sizeof one);
}

static void put(struct scm_channel *ch, struct scm_event *e)
{
	if (STAILQ_EMPTY(&ch->events))
		readable(ch, true);
	STAILQ_INSERT_TAIL(&ch->events, e, link);
	__atomic_add_fetch(&ch->filled, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &ch->filled, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

struct scm_event *scm_event_new(struct scm_id *id, enum rdma_cm_event_type type, int status)
{
	struct scm_event *e = calloc(1, sizeof *e);

	if (e) {
		e->id = id;
		e->type = type;
		e->status = status;
	}
	return e;
}

// As ucma_event_handler has it: events of a new connection are of no interest before it is accepted.
void scm_event_add(struct scm_event *e)
{
	struct scm_channel *ch = e ? e->id->ch : NULL;

	if (!e)
		return;
	if (!e->id->told || ch->ended) {
		free(e);
		return;
	}
	put(ch, e);
}

void scm_event_remove(struct scm_channel *ch, struct scm_event *e)
{
	STAILQ_REMOVE(&ch->events, e, scm_event, link);
	if (STAILQ_EMPTY(&ch->events))
		readable(ch, false);
}

struct scm_event *scm_event_take(struct scm_channel *ch)
{
	struct scm_event *e = STAILQ_FIRST(&ch->events);

	if (!e)
		return NULL;
	scm_event_remove(ch, e);
	e->id->reported++;
	if (e->group)
		e->group->reported++;
	if (e->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		e->id->backlog++;
	return e;
}

void scm_events_drop(struct scm_id *id, struct scm_group *g)
{
	struct scm_event *e, *next;

	for (e = STAILQ_FIRST(&id->ch->events); e; e = next) {
		next = STAILQ_NEXT(e, link);
		if (e->id != id || (g && e->group != g))
			continue;
		scm_event_remove(id->ch, e);
		if (e->child) {
			scm_id_end(e->child);
			scm_id_free(e->child);
			next = STAILQ_FIRST(&id->ch->events); // the end of a connection is an event for somebody
		}
		free(e);
	}
}

void scm_events_move(struct scm_id *id, struct scm_channel *to)
{
	struct scm_event *e, *next;

	if (to == id->ch)
		return;
	for (e = STAILQ_FIRST(&id->ch->events); e; e = next) {
		next = STAILQ_NEXT(e, link);
		if (e->id != id)
			continue;
		scm_event_remove(id->ch, e);
		put(to, e);
	}
	id->ch = to;
}
