// A child of fork has neither the card's thread nor all of the memory that the card works on. It gets a thread of its own, for what it
// makes: the queues of its parent do nothing here. Commands work on copies of the parent's objects.
#include "cm/cm.h"
#include "wire/wire.h"

static void before(void)
{
	cm_forking(true, false);
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
	cm_forking(false, false);
}

static void in_child(void)
{
	own_process();
	object_forked();
	net_forked();
	segment_forked();
	engine_forked();
	pthread_mutex_unlock(&lock);
	cm_forking(false, true);
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(before, in_parent, in_child);
}
