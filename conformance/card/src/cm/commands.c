// The commands of Linux 6.1, drivers/infiniband/core/ucma.c; each function is that of the kernel with this name behind ucma_.
//
// Those for libraries that do not know addresses of InfiniBand (BIND_IP, RESOLVE_IP, JOIN_IP_MCAST, QUERY_ROUTE) are left out: librdmacm
// sends others in their place since it finds that the wildcard can be bound to.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cm/commands.h"

struct group {
	struct scm_group k;
	uint64_t uid;
	uint32_t number;
};

static uint32_t handle_of(const struct scm_id *id)
{
	return id->number % SCM_HANDLES;
}

// of_file looks up an identifier of the file, and get_ctx one whose device is not removed.
static struct scm_id *of_file(const struct command *c, uint32_t handle)
{
	struct scm_id *id = scm_id_of(c->file->ch.m, handle);

	check(!id ? ENOENT : id->ch != &c->file->ch ? EINVAL : 0);
	return id;
}

static struct scm_id *get_ctx(const struct command *c, uint32_t handle)
{
	struct scm_id *id = of_file(c, handle);

	refuse_if(id->state == SCM_REMOVED, ENXIO);
	return id;
}

static struct scm_id *get_ctx_dev(const struct command *c, uint32_t handle)
{
	struct scm_id *id = get_ctx(c, handle);

	refuse_if(!id->dev, EINVAL);
	return id;
}

static void create_id(const struct command *c)
{
	INPUT(rdma_ucm_create_id, c);
	struct scm_id *id;
	int type = IBV_QPT_UD;

	if (cmd.ps == RDMA_PS_TCP)
		type = IBV_QPT_RC;
	else if (cmd.ps == RDMA_PS_IB)
		type = cmd.qp_type;
	else if (cmd.ps != RDMA_PS_UDP && cmd.ps != RDMA_PS_IPOIB)
		refuse(EINVAL);
	id = scm_id_new(&c->file->ch, cmd.ps, (enum ibv_qp_type)type);
	refuse_if(!id, ENOMEM);
	((struct cm_id *)id)->uid = cmd.uid;
	answer(cmd.response, &(struct rdma_ucm_create_id_resp){handle_of(id)}, sizeof(struct rdma_ucm_create_id_resp));
}

// destroy_id works without a device too.
static void destroy_id(const struct command *c)
{
	INPUT(rdma_ucm_destroy_id, c);
	struct scm_id *id = of_file(c, cmd.id);

	scm_id_end(id);
	answer(cmd.response, &(struct rdma_ucm_destroy_id_resp){id->reported}, sizeof(struct rdma_ucm_destroy_id_resp));
	scm_id_free(id);
}

// kss takes an address that a command has with its size.
static void kss(const struct __kernel_sockaddr_storage *from, size_t size, struct sockaddr_storage *to)
{
	memcpy(to, from, sizeof *to);
	refuse_if(!size || size != scm_addr_len((const struct sockaddr *)to), EINVAL);
}

// What librdmacm asks to find out whether there are addresses of InfiniBand: the wildcard can be bound to without a device that has one.
static bool asks_for_ib(const struct rdma_ucm_bind *b)
{
	static const uint8_t any[16];

	return b->addr.ss_family == FAMILY_IB && b->addr_size == 48 && !memcmp((const char *)&b->addr + 8, any, sizeof any);
}

static void bind_addr(const struct command *c)
{
	INPUT(rdma_ucm_bind, c);
	struct sockaddr_storage a;
	struct scm_id *id;

	refuse_if(cmd.reserved, EINVAL);
	id = get_ctx(c, cmd.id);
	if (cmd.addr.ss_family == FAMILY_IB) {
		refuse_if(!asks_for_ib(&cmd) || id->state != SCM_IDLE, ENODEV);
		return;
	}
	kss(&cmd.addr, cmd.addr_size, &a);
	check(scm_bind(id, &a, NULL));
}

static void resolve_addr(const struct command *c)
{
	INPUT(rdma_ucm_resolve_addr, c);
	struct sockaddr_storage src, dst;

	refuse_if(cmd.reserved, EINVAL);
	kss(&cmd.dst_addr, cmd.dst_size, &dst);
	if (cmd.src_size)
		kss(&cmd.src_addr, cmd.src_size, &src);
	check(scm_resolve_addr(get_ctx(c, cmd.id), cmd.src_size ? &src : NULL, &dst, cmd.timeout_ms));
}

static void resolve_route(const struct command *c)
{
	INPUT(rdma_ucm_resolve_route, c);

	check(scm_resolve_route(c->id, cmd.timeout_ms));
}

// copy_conn_param
static struct scm_param param(const struct rdma_ucm_conn_param *from, const struct rdma_ucm_ece *ece)
{
	struct scm_param p = {.qp_num = from->qp_num & 0xffffff, .responder_resources = from->responder_resources,
		.initiator_depth = from->initiator_depth, .flow_control = from->flow_control, .retry_count = from->retry_count,
		.rnr_retry_count = from->rnr_retry_count, .srq = from->srq, .len = from->private_data_len,
		.ece_vendor = ece->vendor_id, .ece_options = ece->attr_mod};

	memcpy(p.data, from->private_data, from->private_data_len);
	return p;
}

static void connect_id(const struct command *c)
{
	INPUT(rdma_ucm_connect, c);
	struct scm_param p = param(&cmd.conn_param, &cmd.ece);

	refuse_if(c->in_size < offsetof(struct rdma_ucm_connect, ece) || !cmd.conn_param.valid, EINVAL);
	check(scm_k_connect(get_ctx_dev(c, cmd.id), &p));
}

static void listen_id(const struct command *c)
{
	INPUT(rdma_ucm_listen, c);

	check(scm_listen(c->id, (int)cmd.backlog));
}

static void accept_id(const struct command *c)
{
	INPUT(rdma_ucm_accept, c);
	struct scm_param p = param(&cmd.conn_param, &cmd.ece);
	struct scm_id *id;

	refuse_if(c->in_size < offsetof(struct rdma_ucm_accept, ece), EINVAL);
	id = get_ctx_dev(c, cmd.id);
	check(scm_k_accept(id, cmd.conn_param.valid ? &p : NULL));
	if (cmd.conn_param.valid)
		((struct cm_id *)id)->uid = cmd.uid;
}

static void reject_id(const struct command *c)
{
	INPUT(rdma_ucm_reject, c);

	if (!cmd.reason)
		cmd.reason = SCM_REJ_CONSUMER;
	refuse_if(cmd.reason != SCM_REJ_CONSUMER && cmd.reason != SCM_REJ_VENDOR_OPTION, EINVAL);
	check(scm_k_reject(get_ctx_dev(c, cmd.id), cmd.reason, cmd.private_data, cmd.private_data_len));
}

static void disconnect_id(const struct command *c)
{
	check(scm_k_disconnect(c->id));
}

static struct ib_uverbs_ah_attr copy_ah(const struct ibv_ah_attr *a)
{
	struct ib_uverbs_ah_attr to = {.dlid = a->dlid, .sl = a->sl, .src_path_bits = a->src_path_bits, .static_rate = a->static_rate,
		.is_global = a->is_global, .port_num = a->port_num, .grh = {.flow_label = a->grh.flow_label, .sgid_index = a->grh.sgid_index,
		.hop_limit = a->grh.hop_limit, .traffic_class = a->grh.traffic_class}};

	memcpy(to.grh.dgid, a->grh.dgid.raw, sizeof to.grh.dgid);
	return to;
}

static void init_qp_attr(const struct command *c)
{
	INPUT(rdma_ucm_init_qp_attr, c);
	struct ibv_qp_attr a = {.qp_state = (enum ibv_qp_state)cmd.qp_state};
	struct ib_uverbs_qp_attr r;
	int mask = 0;

	refuse_if(cmd.qp_state > IBV_QPS_ERR, EINVAL);
	check(scm_qp_attr(get_ctx_dev(c, cmd.id), &a, &mask));
	r = (struct ib_uverbs_qp_attr){.qp_attr_mask = (uint32_t)mask, .qp_state = a.qp_state, .path_mtu = a.path_mtu, .qkey = a.qkey,
		.rq_psn = a.rq_psn, .sq_psn = a.sq_psn, .dest_qp_num = a.dest_qp_num, .qp_access_flags = a.qp_access_flags,
		.ah_attr = copy_ah(&a.ah_attr), .pkey_index = a.pkey_index, .max_rd_atomic = a.max_rd_atomic,
		.max_dest_rd_atomic = a.max_dest_rd_atomic, .min_rnr_timer = a.min_rnr_timer, .port_num = a.port_num, .timeout = a.timeout,
		.retry_cnt = a.retry_cnt, .rnr_retry = a.rnr_retry};
	answer(cmd.response, &r, sizeof r);
}

static void copy_conn(const struct scm_param *p, struct rdma_ucm_conn_param *to)
{
	*to = (struct rdma_ucm_conn_param){.qp_num = p->qp_num, .private_data_len = p->len, .srq = p->srq,
		.responder_resources = p->responder_resources, .initiator_depth = p->initiator_depth, .flow_control = p->flow_control,
		.retry_count = p->retry_count, .rnr_retry_count = p->rnr_retry_count};
	memcpy(to->private_data, p->data, p->len);
}

static void copy_ud(const struct scm_event *e, struct rdma_ucm_ud_param *to)
{
	*to = (struct rdma_ucm_ud_param){.qp_num = e->param.qp_num, .qkey = e->param.qkey, .ah_attr = copy_ah(&e->ah),
		.private_data_len = e->param.len};
	memcpy(to->private_data, e->param.data, e->param.len);
}

// get_event answers an event, unless there is none.
static bool get_event(const struct command *c)
{
	INPUT(rdma_ucm_get_event, c);
	const struct scm_event *e;
	struct rdma_ucm_event_resp r = {0};

	e = scm_event_take(&c->file->ch);
	if (!e)
		return false;
	r.uid = e->group ? ((const struct group *)e->group)->uid : ((const struct cm_id *)e->id)->uid;
	r.id = e->group ? ((const struct group *)e->group)->number : handle_of(e->child ? e->child : e->id);
	r.event = e->type;
	r.status = (uint32_t)e->status;
	if (e->id->qp_type == IBV_QPT_UD)
		copy_ud(e, &r.param.ud);
	else
		copy_conn(&e->param, &r.param.conn);
	r.ece.vendor_id = e->param.ece_vendor;
	r.ece.attr_mod = e->param.ece_options;
	answer(cmd.response, &r, MIN(c->out_size, sizeof r));
	free((void *)e);
	return true;
}

static void set_option(const struct command *c)
{
	INPUT(rdma_ucm_set_option, c);
	const void *value = (const void *)(uintptr_t)cmd.optval;

	if (cmd.level == RDMA_OPTION_ID)
		check(scm_set_option_id(c->id, (int)cmd.optname, value, cmd.optlen));
	else
		check(cmd.level == RDMA_OPTION_IB ? scm_set_option_ib(c->id, (int)cmd.optname, value, cmd.optlen) : ENOSYS);
}

static void notify_id(const struct command *c)
{
	INPUT(rdma_ucm_notify, c);

	check(scm_k_notify(c->id, (enum ibv_event_type)cmd.event));
}

static void join_multicast(const struct command *c)
{
	static uint32_t last;
	INPUT(rdma_ucm_join_mcast, c);
	struct sockaddr_storage a;
	struct scm_id *id;
	struct group *g;
	int err;

	refuse_if(cmd.join_flags >= RDMA_MC_JOIN_FLAG_RESERVED, EINVAL);
	kss(&cmd.addr, cmd.addr_size, &a);
	id = get_ctx_dev(c, cmd.id);
	g = calloc(1, sizeof *g);
	refuse_if(!g, ENOMEM);
	*g = (struct group){.k = {.id = id, .addr = a}, .uid = cmd.uid, .number = ++last};
	err = scm_join(&g->k);
	if (err)
		free(g);
	check(err);
	answer(cmd.response, &(struct rdma_ucm_create_id_resp){last}, sizeof(struct rdma_ucm_create_id_resp));
}

static void leave_multicast(const struct command *c)
{
	INPUT(rdma_ucm_destroy_id, c);
	struct scm_group *g = NULL;
	struct scm_id *id;

	LIST_FOREACH(id, &c->file->ch.ids, in_channel)
		LIST_FOREACH(g, &id->groups, link)
			if (((struct group *)g)->number == cmd.id)
				goto found;
	refuse(ENOENT);
found:
	scm_leave(g);
	answer(cmd.response, &(struct rdma_ucm_destroy_id_resp){g->reported}, sizeof(struct rdma_ucm_destroy_id_resp));
	free(g);
}

static void migrate_id(const struct command *c)
{
	INPUT(rdma_ucm_migrate_id, c);
	struct command from = {.file = cm_open_file((int)cmd.fd)};
	struct scm_id *id;

	if (!from.file)
		refuse(fcntl((int)cmd.fd, F_GETFD) < 0 ? ENOENT : EINVAL);
	id = get_ctx(&from, cmd.id);
	LIST_REMOVE(id, in_channel);
	LIST_INSERT_HEAD(&c->file->ch.ids, id, in_channel);
	scm_events_move(id, &c->file->ch);
	answer(cmd.response, &(struct rdma_ucm_migrate_resp){id->reported}, sizeof(struct rdma_ucm_migrate_resp));
}

// wait_filled waits for an event to come, in a system call that goes on after a signal where those of Linux do.
static int wait_filled(struct cm_file *f)
{
	const uint32_t before = __atomic_load_n(&f->ch.filled, __ATOMIC_ACQUIRE);
	int type, err;

	scm_unlock_all();
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	err = syscall(SYS_futex, &f->ch.filled, FUTEX_WAIT, before, NULL, NULL, 0) && errno != EAGAIN ? errno : 0;
	pthread_setcanceltype(type, NULL);
	scm_lock_all();
	return err;
}

// next_event waits for an event, unless the file was opened not to wait. It keeps the file, as in Linux, also when the program closes its
// descriptor meanwhile.
static void next_event(const struct command *c)
{
	int err = 0;

	c->file->waiting++;
	while (!err && !get_event(c))
		err = fcntl(c->file->ch.out, F_GETFL) & O_NONBLOCK ? EAGAIN : wait_filled(c->file);
	c->file->waiting--;
	cm_file_end(c->file);
	check(err);
}

// What a command answers at least, and the identifier that it is of, unless the command looks for it itself.
static const struct {
	void (*run)(const struct command *);
	size_t answer, id;
	struct scm_id *(*get)(const struct command *, uint32_t handle);
} commands[] = {
#define OF_ID(command, get) offsetof(struct command, id), get
	[RDMA_USER_CM_CMD_CREATE_ID] = {create_id, sizeof(struct rdma_ucm_create_id_resp)},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {destroy_id, sizeof(struct rdma_ucm_destroy_id_resp)},
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {resolve_route, 0, OF_ID(rdma_ucm_resolve_route, get_ctx_dev)},
	[RDMA_USER_CM_CMD_CONNECT] = {connect_id},
	[RDMA_USER_CM_CMD_LISTEN] = {listen_id, 0, OF_ID(rdma_ucm_listen, get_ctx)},
	[RDMA_USER_CM_CMD_ACCEPT] = {accept_id},
	[RDMA_USER_CM_CMD_REJECT] = {reject_id},
	[RDMA_USER_CM_CMD_DISCONNECT] = {disconnect_id, 0, OF_ID(rdma_ucm_disconnect, get_ctx_dev)},
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {init_qp_attr, sizeof(struct ib_uverbs_qp_attr)},
	[RDMA_USER_CM_CMD_GET_EVENT] = {next_event, offsetof(struct rdma_ucm_event_resp, reserved)},
	[RDMA_USER_CM_CMD_SET_OPTION] = {set_option, 0, OF_ID(rdma_ucm_set_option, get_ctx)},
	[RDMA_USER_CM_CMD_NOTIFY] = {notify_id, 0, OF_ID(rdma_ucm_notify, get_ctx_dev)},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {leave_multicast, sizeof(struct rdma_ucm_destroy_id_resp)},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {migrate_id},
	[RDMA_USER_CM_CMD_QUERY] = {cm_query, 0, OF_ID(rdma_ucm_query, get_ctx)},
	[RDMA_USER_CM_CMD_BIND] = {bind_addr},
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = {resolve_addr},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = {join_multicast, sizeof(struct rdma_ucm_create_id_resp)},
};

static void run(void *command)
{
	struct command *c = command;
	const uint32_t number = c->number;
	uint32_t id = 0;

	refuse_if(!c->file || number >= sizeof commands / sizeof *commands, EINVAL);
	check(!commands[number].run ? ENOSYS : c->out_size < commands[number].answer ? ENOSPC : 0);
	if (commands[number].get) {
		if (c->in_size >= commands[number].id + sizeof id)
			memcpy(&id, (const char *)c->in + commands[number].id, sizeof id);
		c->id = commands[number].get(c, id);
	}
	commands[number].run(c);
}

bool cm_write(int fd, const void *from, size_t length, ssize_t *done)
{
	struct rdma_ucm_cmd_hdr h = {0};
	struct command c;
	int err;

	if (!cm_open_file(fd))
		return false;
	scm_lock_all();
	if (length >= sizeof h)
		memcpy(&h, from, sizeof h);
	c = (struct command){.file = cm_open_file(fd), // another thread may have closed it
		.number = h.cmd, .in = (const char *)from + sizeof h, .in_size = h.in, .out_size = h.out};
	err = length >= sizeof h && h.in + sizeof h <= length ? command_run(run, &c) : EINVAL;
	scm_unlock_all();
	note("rdma_cm command %u: %d\n", h.cmd, err);
	*done = err ? -1 : (ssize_t)length;
	if (err)
		errno = err;
	return true;
}
