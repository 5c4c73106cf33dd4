// Events of completion queues and of devices, by functions of the library, for events_cgo.go.
#ifndef VERBSGEN_DPATH_EVENTS_H
#define VERBSGEN_DPATH_EVENTS_H

static int verbsgen_dpath_get_event(uintptr_t get, uintptr_t channel, uintptr_t *out)
{
	int (*f)(struct ibv_comp_channel *, struct ibv_cq **, void **) = (int (*)(struct ibv_comp_channel *, struct ibv_cq **, void **))get;
	struct ibv_cq *cq = NULL;
	void *context = NULL;

	errno = 0; // a read of the wrong length fails without one
	if (f((struct ibv_comp_channel *)channel, &cq, &context))
		return errno > 0 ? errno : EIO;
	*out = (uintptr_t)cq;
	return 0;
}

static void verbsgen_dpath_ack_event(uintptr_t ack, uintptr_t cq)
{
	((void (*)(struct ibv_cq *, unsigned int))ack)((struct ibv_cq *)cq, 1);
}

static int verbsgen_dpath_fd(uintptr_t channel) { return ((struct ibv_comp_channel *)channel)->fd; }

// The kernel gives 64 bits for the element whatever it is, and an int is its low half on the processors that we know.
static int verbsgen_dpath_get_async(uintptr_t get, uintptr_t context, struct ibv_async_event *out)
{
	int (*f)(struct ibv_context *, struct ibv_async_event *) = (int (*)(struct ibv_context *, struct ibv_async_event *))get;

	out->element.cq = NULL; // the whole union
	errno = 0; // a read of the wrong length fails without one
	if (f((struct ibv_context *)context, out))
		return errno > 0 ? errno : EIO;
	return 0;
}

static void verbsgen_dpath_ack_async(uintptr_t ack, struct ibv_async_event *event)
{
	((void (*)(struct ibv_async_event *))ack)(event);
}

static int verbsgen_dpath_async_fd(uintptr_t context) { return ((struct ibv_context *)context)->async_fd; }

static uintptr_t verbsgen_dpath_object(const struct ibv_async_event *e) { return (uintptr_t)e->element.cq; }
static int verbsgen_dpath_port(const struct ibv_async_event *e) { return e->element.port_num; }
static void verbsgen_dpath_set_object(struct ibv_async_event *e, uintptr_t object) { e->element.cq = (struct ibv_cq *)object; }

#endif
