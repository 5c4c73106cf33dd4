// Channels: the files that events are read from. A channel is a pipe, so that reading, polling and O_NONBLOCK need no help.
#ifndef CARD_EVENT_H
#define CARD_EVENT_H

#include "uverbs/object.h"

struct channel;

// channel_new makes a channel of a context; the descriptor to read is in *fd.
struct channel *channel_new(struct context *, bool async, int *fd) HIDDEN;

// channel_of returns the completion channel that a descriptor reads, or NULL.
struct channel *channel_of(int fd) HIDDEN;

// channel_hold has a completion queue use a channel, up to channel_drop. Neither does anything with NULL.
void channel_hold(struct channel *) HIDDEN;
void channel_drop(struct channel *) HIDDEN;

// channel_closing takes note that a descriptor is about to be closed, and releases the channel that it reads when no queue uses it. It
// takes the lock.
void channel_closing(int fd) HIDDEN;

// channels_end releases those of a context, when it has no queues.
void channels_end(struct context *) HIDDEN;

// event_completion tells a completion queue's channel, event_async the context's.
void event_completion(struct channel *, struct object *) HIDDEN;
void event_async(struct object *, int type) HIDDEN;

// event_device tells a context of its device, element 0, or of a port.
bool event_device(struct context *, int type, uint64_t element) HIDDEN;

// event_forget removes the unread events of an object and returns how many of it were read, as destroy reports it
// (Linux 6.1, core/uverbs_main.c, ib_uverbs_event_read counts what is read; ib_uverbs_release_ucq and _uevent remove the rest).
uint32_t event_forget_completions(struct channel *, struct object *) HIDDEN;
uint32_t event_forget_async(struct object *) HIDDEN;

#endif
