#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>

#include "uverbs/event.h"

enum { MOST = 1 << 20 }; // bytes in a pipe

struct channel {
	LIST_ENTRY(channel) link;
	struct context *ctx;
	int fd;           // the end that the process reads, or -1 when it has closed it
	int in, out;      // out is a copy of fd
	unsigned queues;  // that tell the channel
	ino_t inode;
	bool async;
	size_t size;      // of an event
};

static LIST_HEAD(, channel) channels;
static atomic_int count;

struct channel *channel_new(struct context *ctx, bool async, int *fd)
{
	struct channel *c = calloc(1, sizeof *c);
	struct stat st;

	if (!c || (*fd = c->fd = pipe_new(&c->in, &c->out)) < 0) {
		free(c);
		return NULL;
	}
	fd_stat(c->fd, &st);
	c->inode = st.st_ino;
	fcntl(c->in, F_SETPIPE_SZ, MOST);
	c->ctx = ctx;
	c->async = async;
	c->size = async ? sizeof(struct ib_uverbs_async_event_desc) : sizeof(struct ib_uverbs_comp_event_desc);
	LIST_INSERT_HEAD(&channels, c, link);
	atomic_fetch_add(&count, 1);
	return c;
}

struct channel *channel_of(int fd)
{
	struct channel *c;
	struct stat st;

	if (!fd_stat(fd, &st) || !S_ISFIFO(st.st_mode))
		return NULL;
	LIST_FOREACH(c, &channels, link)
		if (c->inode == st.st_ino)
			return c->async ? NULL : c;
	return NULL;
}

static void end(struct channel *c)
{
	LIST_REMOVE(c, link);
	atomic_fetch_sub(&count, 1);
	syscall(SYS_close, c->in);
	syscall(SYS_close, c->out);
	free(c);
}

void channel_hold(struct channel *c)
{
	if (c)
		c->queues++;
}

void channel_drop(struct channel *c)
{
	if (c && !--c->queues && c->fd < 0)
		end(c);
}

// Nothing tells of the end of copies of the descriptor: their readers find the end of the file.
void channel_closing(int fd)
{
	struct channel *c;

	if (!atomic_load(&count) || forked_away())
		return;
	pthread_mutex_lock(&lock);
	c = channel_of(fd);
	if (c && c->fd == fd) {
		c->fd = -1;
		if (!c->queues)
			end(c);
	}
	pthread_mutex_unlock(&lock);
}

void channels_end(struct context *ctx)
{
	for (struct channel *c = LIST_FIRST(&channels), *next; c; c = next) {
		next = LIST_NEXT(c, link);
		if (c->ctx == ctx)
			end(c);
	}
}

// put writes an event unless the pipe is full: the process does not read, and must not stop the card.
static bool put(struct channel *c, const void *event)
{
	const int flags = fcntl(c->in, F_GETFL);
	bool done;

	if (!(flags & O_NONBLOCK))
		fcntl(c->in, F_SETFL, flags | O_NONBLOCK);
	done = syscall(SYS_write, c->in, event, c->size) == (ssize_t)c->size; // write is interposed, and takes another lock
	if (!done)
		note("an event was lost\n");
	return done;
}

void event_completion(struct channel *c, struct object *o)
{
	struct ib_uverbs_comp_event_desc e = {.cq_handle = o->user};

	if (put(c, &e))
		o->comp_raised++;
}

bool event_device(struct context *ctx, int type, uint64_t element)
{
	struct channel *c = ctx->async;
	struct ib_uverbs_async_event_desc e = {.element = element, .event_type = (__u32)type};

	return c && put(c, &e);
}

void event_async(struct object *o, int type)
{
	if (event_device(o->ctx, type, o->user))
		o->async_raised++;
}

// forget reads all that is in the pipe, and writes back what other objects own. It returns how many events were the object's.
static uint32_t forget(struct channel *c, uint64_t element)
{
	const int flags = fcntl(c->out, F_GETFL);
	uint8_t *all = malloc(MOST);
	uint32_t n = 0;
	ssize_t got;

	if (!all)
		return 0;
	fcntl(c->out, F_SETFL, flags | O_NONBLOCK);
	got = read(c->out, all, MOST);
	fcntl(c->out, F_SETFL, flags);
	for (ssize_t i = 0; i + (ssize_t)c->size <= got; i += (ssize_t)c->size) {
		uint64_t of; // the first word of both kinds of event

		memcpy(&of, all + i, sizeof of);
		if (of == element)
			n++;
		else
			put(c, all + i);
	}
	free(all);
	return n;
}

// take_back removes the unread events of those that were raised, and returns how many were read.
static uint32_t take_back(struct channel *c, const struct object *o, uint32_t *raised)
{
	const uint32_t n = *raised;

	*raised = 0;
	return n ? n - forget(c, o->user) : 0;
}

uint32_t event_forget_completions(struct channel *c, struct object *o)
{
	return take_back(c, o, &o->comp_raised);
}

uint32_t event_forget_async(struct object *o)
{
	return take_back(o->ctx->async, o, &o->async_raised);
}
