//go:build linux && cgo

// Trouble that a test asks for: a device is taken away, a port goes down, completions wait.
#include "control.h"
#include "qp.h"

struct news {
	struct svb_dev *dev;
	enum ibv_event_type type;
	int port;
};

static void tell(struct svb_obj *o, void *arg)
{
	struct svb_ctx *c = SVB_OF(o, struct svb_ctx);
	const struct news *n = arg;

	if (c->dev == n->dev)
		svb_async_port(c, n->type, n->port);
}

static void wake(struct svb_obj *o, void *arg)
{
	if (o->ctx->dev == arg)
		svb_ring(SVB_OF(o, struct svb_chan)->pub.fd); // whoever waits looks again
}

int svb_set_gone(int slot, const char *device)
{
	struct news n = {.type = IBV_EVENT_DEVICE_FATAL};
	SVB_LOCKED;

	n.dev = svb_device_named(slot, device);
	if (n.dev && !n.dev->gone) {
		__atomic_store_n(&n.dev->gone, true, __ATOMIC_RELAXED);
		svb_each(n.dev->inst, SVB_T_CTX, tell, &n);
		svb_each(n.dev->inst, SVB_T_CHANNEL, wake, n.dev);
	}
	return n.dev ? 0 : ENODEV;
}

int svb_set_port(int slot, const char *device, unsigned port, bool up)
{
	struct news n = {.type = up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, .port = (int)port};
	SVB_LOCKED;

	n.dev = svb_device_named(slot, device);
	if (!n.dev)
		return ENODEV;
	if (port == 0 || port > n.dev->cfg.ports)
		return EINVAL;
	if (n.dev->port_down[port - 1] == up) {
		n.dev->port_down[port - 1] = !up;
		svb_each(n.dev->inst, SVB_T_CTX, tell, &n);
	}
	return 0;
}

int svb_hold(int slot, const char *device, uint32_t qpn, bool hold)
{
	SVB_LOCKED;
	struct svb_dev *d = svb_device_named(slot, device);
	struct svb_qp *qp = d ? svb_qp_numbered(d, qpn) : NULL;

	if (!qp)
		return d ? ENOENT : ENODEV;
	qp->hold = hold;
	if (!hold)
		svb_late_release(d, qpn);
	return 0;
}

void svb_memlock(int slot, const char *device, struct svb_memlock *out)
{
	SVB_LOCKED;
	const struct svb_dev *d = svb_device_named(slot, device);

	*out = d ? (struct svb_memlock){.limit = d->cfg.memlock, .pinned = d->pinned} : (struct svb_memlock){.limit = 0};
}

int svb_delay(int slot, uint64_t least, uint64_t most)
{
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);

	if (!in)
		return EINVAL;
	in->least_late = least;
	in->most_late = most;
	return 0;
}
