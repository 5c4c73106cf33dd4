// A librdmacm that writes down its calls. Of an address it writes the text, of an object its number.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>

enum { MANY = 64, OWN_BYTES = 5 };

// An identifier, a channel and an event, each with the number by which it is written.
struct channel { struct rdma_event_channel pub; int number; };
struct id { struct rdma_cm_id pub; int number; };
struct event { struct rdma_cm_event pub; struct event *next; struct rdma_event_channel *on; unsigned char bytes[OWN_BYTES]; };

static char text[1 << 16];
static size_t length;
static int failing; // errno of all calls, or 0
static struct channel *channels[MANY];
static struct id *ids[MANY];
static int n_channels, n_ids;
static struct event *events;
static int unacknowledged;
static struct ibv_context *context;

// Functions of the libibverbs that owns the device.
static struct {
	struct ibv_device **(*list)(int *n);
	struct ibv_context *(*open)(struct ibv_device *device);
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
	int (*destroy_qp)(struct ibv_qp *qp);
} verbs;

static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	length += vsnprintf(text + length, sizeof text - length, format, args);
	va_end(args);
	if (length >= sizeof text)
		abort();
}

static int number_of(struct rdma_cm_id *id) { return ((struct id *)id)->number; }
static int channel_of(struct rdma_event_channel *channel) { return ((struct channel *)channel)->number; }

// end ends the line of a call, and says how it went.
static int end(void)
{
	put("\n");
	errno = failing;
	return failing ? -1 : 0;
}

static void put_bytes(const char *name, const void *p, size_t n)
{
	put(" %s=", name);
	for (size_t i = 0; i < n; i++)
		put("%02x", ((const unsigned char *)p)[i]);
}

static void put_addr(const char *name, const struct sockaddr *addr)
{
	char host[INET6_ADDRSTRLEN];
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	if (!addr)
		put(" %s=none", name);
	else if (addr->sa_family == AF_INET)
		put(" %s=%s:%d", name, inet_ntop(AF_INET, &in->sin_addr, host, sizeof host), ntohs(in->sin_port));
	else if (addr->sa_family == AF_INET6)
		put(" %s=[%s/%u]:%d", name, inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host), in6->sin6_scope_id, ntohs(in6->sin6_port));
	else
		put(" %s=family %d", name, addr->sa_family);
}

static void put_conn(const struct rdma_conn_param *p)
{
	put_bytes("private_data", p->private_data, p->private_data_len);
	put(" private_data_len=%u responder_resources=%u initiator_depth=%u flow_control=%u retry_count=%u rnr_retry_count=%u srq=%u qp_num=%u",
	    p->private_data_len, p->responder_resources, p->initiator_depth, p->flow_control, p->retry_count, p->rnr_retry_count, p->srq, p->qp_num);
}

static size_t size_of(const struct sockaddr *addr)
{
	return addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

// What the tests call.

void recording_start(void *list, void *open, void *create_qp, void *destroy_qp)
{
	verbs.list = list;
	verbs.open = open;
	verbs.create_qp = create_qp;
	verbs.destroy_qp = destroy_qp;
	context = verbs.open(verbs.list(NULL)[0]);
}

const char *recording_take(void)
{
	static char taken[sizeof text];

	memcpy(taken, text, length);
	taken[length] = 0;
	length = 0;
	return taken;
}

void recording_fail(int with) { failing = with; }
int recording_unacknowledged(void) { return unacknowledged; }

static struct rdma_cm_id *new_id(struct rdma_event_channel *channel, void *user, enum rdma_port_space ps)
{
	struct id *id = calloc(1, sizeof *id);

	if (n_ids == MANY)
		abort();
	id->number = n_ids + 1;
	ids[n_ids++] = id;
	id->pub.channel = channel;
	id->pub.context = user;
	id->pub.ps = ps;
	id->pub.qp_type = ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
	return &id->pub;
}

// recording_event has an event arrive with a value of its own in each field, which begin with first. A listener asks for a new
// identifier.
void recording_event(int type, int of, int listener, int status, int first)
{
	struct event *e = calloc(1, sizeof *e), **last = &events;
	struct rdma_conn_param *p = &e->pub.param.conn;

	e->pub.event = type;
	e->pub.status = status;
	if (listener) {
		e->pub.listen_id = &ids[listener - 1]->pub;
		e->pub.id = new_id(e->pub.listen_id->channel, NULL, e->pub.listen_id->ps);
		e->pub.id->verbs = context;
	} else {
		e->pub.id = &ids[of - 1]->pub;
	}
	for (int i = 0; i < OWN_BYTES; i++)
		e->bytes[i] = first + i;
	p->private_data = e->bytes;
	p->private_data_len = OWN_BYTES;
	p->responder_resources = first + 10;
	p->initiator_depth = first + 11;
	p->flow_control = first & 1;
	p->retry_count = first + 12;
	p->rnr_retry_count = first + 13;
	p->srq = !(first & 1);
	p->qp_num = 0x10000 + first;
	e->on = e->pub.id->channel;
	while (*last)
		last = &(*last)->next;
	*last = e;
	if (eventfd_write(e->on->fd, 1))
		abort();
}

// The functions of librdmacm.

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct channel *c;

	put("rdma_create_event_channel");
	if (end())
		return NULL;
	if (n_channels == MANY)
		abort();
	c = calloc(1, sizeof *c);
	c->number = n_channels + 1;
	channels[n_channels++] = c;
	c->pub.fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	return &c->pub;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	put("rdma_destroy_event_channel channel=%d\n", channel_of(channel));
	close(channel->fd);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *user, enum rdma_port_space ps)
{
	put("rdma_create_id channel=%d context=%p ps=0x%x", channel_of(channel), user, ps);
	if (end())
		return -1;
	*id = new_id(channel, user, ps);
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	put("rdma_destroy_id id=%d", number_of(id));
	return end();
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	put("rdma_bind_addr id=%d", number_of(id));
	put_addr("addr", addr);
	if (end())
		return -1;
	memcpy(&id->route.addr.src_storage, addr, size_of(addr));
	id->verbs = context;
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst, int timeout_ms)
{
	put("rdma_resolve_addr id=%d", number_of(id));
	put_addr("src_addr", src);
	put_addr("dst_addr", dst);
	put(" timeout_ms=%d", timeout_ms);
	if (end())
		return -1;
	memcpy(&id->route.addr.dst_storage, dst, size_of(dst));
	id->verbs = context;
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	put("rdma_resolve_route id=%d timeout_ms=%d", number_of(id), timeout_ms);
	return end();
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	put("rdma_create_qp id=%d pd=%u qp_context=%p send_cq.cqe=%d recv_cq.cqe=%d srq=%u max_send_wr=%u max_recv_wr=%u max_send_sge=%u max_recv_sge=%u max_inline_data=%u qp_type=%d sq_sig_all=%d",
	    number_of(id), pd->handle, a->qp_context, a->send_cq->cqe, a->recv_cq->cqe, a->srq ? a->srq->handle : 0, a->cap.max_send_wr, a->cap.max_recv_wr,
	    a->cap.max_send_sge, a->cap.max_recv_sge, a->cap.max_inline_data, a->qp_type, a->sq_sig_all);
	if (end())
		return -1;
	id->qp = verbs.create_qp(pd, a);
	return id->qp ? 0 : -1;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	put("rdma_destroy_qp id=%d\n", number_of(id));
	if (verbs.destroy_qp(id->qp))
		abort();
	id->qp = NULL;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	put("rdma_connect id=%d", number_of(id));
	put_conn(param);
	return end();
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	put("rdma_accept id=%d", number_of(id));
	put_conn(param);
	return end();
}

int rdma_establish(struct rdma_cm_id *id)
{
	put("rdma_establish id=%d", number_of(id));
	return end();
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	put("rdma_listen id=%d backlog=%d", number_of(id), backlog);
	return end();
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t n)
{
	put("rdma_reject id=%d", number_of(id));
	put_bytes("private_data", data, n);
	return end();
}

int rdma_reject_ece(struct rdma_cm_id *id, const void *data, uint8_t n)
{
	put("rdma_reject_ece id=%d", number_of(id));
	put_bytes("private_data", data, n);
	return end();
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *a, int *mask)
{
	put("rdma_init_qp_attr id=%d qp_state=%d port_num=%d mask=%#x", number_of(id), a->qp_state, a->port_num, *mask);
	if (end())
		return -1;
	a->dest_qp_num = 0x123456;
	*mask |= IBV_QP_DEST_QPN;
	return 0;
}

int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	put("rdma_set_local_ece id=%d vendor_id=%#x options=%#x comp_mask=%u", number_of(id), ece->vendor_id, ece->options, ece->comp_mask);
	return end();
}

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	put("rdma_get_remote_ece id=%d", number_of(id));
	*ece = (struct ibv_ece){0x7a01, 0x7a02, 0};
	return end();
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
	put("rdma_notify id=%d event=%d", number_of(id), event);
	return end();
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	put("rdma_disconnect id=%d", number_of(id));
	return end();
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	put("rdma_migrate_id id=%d channel=%d", number_of(id), channel_of(channel));
	if (end())
		return -1;
	id->channel = channel;
	return 0;
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, void *user)
{
	put("rdma_join_multicast id=%d", number_of(id));
	put_addr("addr", addr);
	put(" context=%p", user);
	return end();
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	put("rdma_leave_multicast id=%d", number_of(id));
	put_addr("addr", addr);
	return end();
}

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
{
	put("rdma_set_option id=%d level=%d optname=%d", number_of(id), level, optname);
	put_bytes("optval", optval, optlen);
	return end();
}

int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type event, int status, uint64_t arg); // newer than some headers

int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type event, int status, uint64_t arg)
{
	put("rdma_write_cm_event id=%d event=%d status=%d arg=%#llx", number_of(id), event, status, (unsigned long long)arg);
	return end();
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static char name[32];

	snprintf(name, sizeof name, "event %d", event);
	return name;
}

struct ibv_context **rdma_get_devices(int *n)
{
	struct ibv_context **list = calloc(2, sizeof *list);

	put("rdma_get_devices num_devices=%p\n", (void *)n);
	list[0] = context;
	return list;
}

void rdma_free_devices(struct ibv_context **list)
{
	put("rdma_free_devices of=%d\n", list[0] == context);
	free(list);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	eventfd_t one;

	if (eventfd_read(channel->fd, &one))
		return -1;
	for (struct event **e = &events; *e; e = &(*e)->next) {
		if ((*e)->on == channel) {
			*event = &(*e)->pub;
			*e = (*e)->next;
			unacknowledged++;
			return 0;
		}
	}
	abort();
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	unacknowledged--;
	memset(event, 0xee, sizeof(struct event)); // nobody may read it any longer
	free(event);
	return 0;
}
