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
		svb_chan_wake(SVB_OF(o, struct svb_chan));
}

int svb_set_gone(int slot, const char *device)
{
	struct news n = {.type = IBV_EVENT_DEVICE_FATAL};

	svb_lock_all();
	n.dev = svb_device_named(slot, device);
	if (n.dev && !n.dev->gone) {
		__atomic_store_n(&n.dev->gone, true, __ATOMIC_RELAXED);
		svb_each(n.dev->inst, SVB_T_CTX, tell, &n);
		svb_each(n.dev->inst, SVB_T_CHANNEL, wake, n.dev);
	}
	svb_unlock_all();
	return n.dev ? 0 : ENODEV;
}

int svb_set_port(int slot, const char *device, unsigned port, bool up)
{
	struct news n = {.type = up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, .port = (int)port};
	int err = 0;

	svb_lock_all();
	n.dev = svb_device_named(slot, device);
	if (!n.dev)
		err = ENODEV;
	else if (port == 0 || port > n.dev->cfg.ports)
		err = EINVAL;
	if (!err && n.dev->port_down[port - 1] == up) {
		n.dev->port_down[port - 1] = !up;
		svb_each(n.dev->inst, SVB_T_CTX, tell, &n);
	}
	svb_unlock_all();
	return err;
}

int svb_hold(int slot, const char *device, uint32_t qpn, bool hold)
{
	struct svb_dev *d;
	struct svb_qp *qp = NULL;
	int err = ENODEV;

	svb_lock_all();
	d = svb_device_named(slot, device);
	if (d) {
		qp = svb_qp_numbered(d, qpn);
		err = qp ? 0 : ENOENT;
	}
	if (qp)
		qp->hold = hold;
	if (qp && !hold)
		svb_late_release(d, qpn);
	svb_unlock_all();
	return err;
}

void svb_memlock(int slot, const char *device, struct svb_memlock *out)
{
	const struct svb_dev *d;

	svb_lock_all();
	d = svb_device_named(slot, device);
	*out = d ? (struct svb_memlock){.limit = d->cfg.memlock, .pinned = d->pinned} : (struct svb_memlock){.limit = 0};
	svb_unlock_all();
}

int svb_delay(int slot, uint64_t least, uint64_t most)
{
	struct svb_inst *in;

	svb_lock_all();
	in = svb_slot(slot);
	if (in) {
		in->least_late = least;
		in->most_late = most;
	}
	svb_unlock_all();
	return in ? 0 : EINVAL;
}
