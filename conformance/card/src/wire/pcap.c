#include <endian.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "uverbs/gid.h"
#include "wire/wire.h"

enum { HEADERS = 14 + 40 + 8 + 12 + 28, MOST = 16 << 20, PORT = 4791, ICRC = 4 };

// Operations of packets (InfiniBand's table of opcodes of the BTH); those of the last and the only packet of a message have another
// number with immediate data.
enum { SEND_FIRST = 0, WRITE_FIRST = 6, READ_REQUEST = 12, READ_FIRST = 13, ACKNOWLEDGE = 17, ATOMIC_ACKNOWLEDGE = 18, SWAP_REQUEST = 19,
	ADD_REQUEST = 20, LAST_INVALIDATES = 22 };

static int file = -1;

struct packet {
	uint8_t b[HEADERS + 4096 + 4 + ICRC];
	size_t n, udp; // udp: where the length of UDP is
};

__attribute__((constructor)) static void start(void)
{
	// The header of the format: microseconds, Ethernet.
	static const uint32_t header[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 1 << 16, 1};
	const char *path = getenv("CARD_PCAP");

	if (!path)
		return;
	file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (file >= 0 && syscall(SYS_write, file, header, sizeof header) != sizeof header)
		file = -1;
	if (file < 0) // another process has made it
		file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static void put(struct packet *p, uint64_t v, int bytes)
{
	while (bytes--)
		p->b[p->n++] = (uint8_t)(v >> 8 * bytes);
}

static void put_bytes(struct packet *p, const void *from, size_t n)
{
	memcpy(p->b + p->n, from, n);
	p->n += n;
}

// begin writes the headers up to UDP, whose lengths are those of the end. Both addresses are IPv4 if one GID is: the last byte of all GIDs of a
// device is the same, and so is the network of all devices.
static void begin(struct packet *p, const uint8_t from[16], const uint8_t to[16], uint32_t qpn)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
	const uint8_t *four = gid_ipv4(to) ? to : gid_ipv4(from) ? from : NULL;

	p->n = 0;
	put_bytes(p, mac, 6);
	put_bytes(p, mac, 6);
	put(p, four ? 0x0800 : 0x86dd, 2);
	if (four) {
		put(p, 0x4500, 2);
		put(p, 0, 2);
		put(p, 0x0000400040110000, 8); // no fragments, 64 hops, UDP, no checksum
		put_bytes(p, four + 12, 3);
		put(p, from[15], 1);
		put_bytes(p, four + 12, 3);
		put(p, to[15], 1);
	} else {
		put(p, 6u << 28, 4);
		put(p, 17 << 8 | 64, 4);
		put_bytes(p, from, 16);
		put_bytes(p, to, 16);
	}
	put(p, 0xc000 | (qpn & 0x3fff), 2);
	put(p, PORT, 2);
	p->udp = p->n;
	put(p, 0, 4);
}

// set_length writes the length of a header that begins at a place of the packet.
static void set_length(struct packet *p, size_t at, size_t begin)
{
	const size_t n = p->n;

	p->n = at;
	put(p, n - begin, 2);
	p->n = n;
}

// base is the BTH.
static void base(struct packet *p, int opcode, bool solicited, size_t padding, uint32_t dest, uint32_t psn)
{
	put(p, (uint64_t)opcode, 1);
	put(p, solicited << 7 | padding << 4, 1);
	put(p, 0xffff, 2);
	put(p, dest, 4);
	put(p, psn & 0xffffff, 4);
}

static void end(struct packet *p)
{
	static struct {
		uint32_t seconds, micros, n, whole;
		uint8_t b[sizeof p->b];
	} record;
	struct timespec t;

	put(p, 0, ICRC);
	set_length(p, p->udp, p->udp - 4);
	set_length(p, p->b[12] == 8 ? 16 : 18, p->b[12] == 8 ? 14 : 54);
	clock_gettime(CLOCK_REALTIME, &t);
	record.seconds = (uint32_t)t.tv_sec;
	record.micros = (uint32_t)(t.tv_nsec / 1000);
	record.n = record.whole = (uint32_t)p->n;
	memcpy(record.b, p->b, p->n);
	if (syscall(SYS_write, file, &record, 16 + p->n) < 0)
		file = -1;
}

// transport are the upper bits of an opcode. DC and SRD, which have none in the specification, are shown as RC.
static int transport(int type)
{
	switch (type) {
	case IBV_QPT_UC: return 1 << 5;
	case IBV_QPT_UD: return 3 << 5;
	case IBV_QPT_XRC_SEND: return 5 << 5;
	default: return 0;
	}
}

struct way {
	const uint8_t *from, *to; // GIDs
	uint32_t source, dest;    // queue pairs
	int type;
	uint32_t psn;
};

// extended writes the headers of a request behind the BTH.
static void extended(struct packet *p, const struct way *w, const struct request *r, bool first, bool last)
{
	if (w->type == IBV_QPT_XRC_SEND)
		put(p, r->srqn, 4);
	if (w->type == IBV_QPT_UD) {
		put(p, r->qkey, 4);
		put(p, w->source, 4);
	}
	if (first && (r->op == WRITE || r->op == READ || r->op == SWAP || r->op == ADD)) {
		put(p, r->raddr, 8);
		put(p, r->rkey, 4);
	}
	if (r->op == WRITE && first)
		put(p, r->length, 4);
	if (r->op == READ)
		put(p, r->length, 4);
	if (r->op == SWAP || r->op == ADD) {
		put(p, r->value, 8);
		put(p, r->compare, 8);
	}
	if (last && r->immediate)
		put_bytes(p, &r->word, 4);
	if (last && r->op == SEND_INVALIDATE)
		put(p, r->word, 4);
}

// opcode returns that of a packet of a request, which takes more than one or not.
static int opcode(const struct request *r, bool first, bool last)
{
	const int step = first && last ? 4 : last ? 2 : first ? 0 : 1;

	switch (r->op) {
	case READ: return READ_REQUEST;
	case SWAP: return SWAP_REQUEST;
	case ADD: return ADD_REQUEST;
	case WRITE: return WRITE_FIRST + step + (last && r->immediate);
	case SEND_INVALIDATE: return last ? LAST_INVALIDATES + first : SEND_FIRST + step;
	default: return SEND_FIRST + step + (last && r->immediate);
	}
}

// parts writes a message, or the answer of a READ, in packets of an MTU.
static void parts(const struct way *w, const struct request *r, const uint8_t *data, uint64_t length, uint64_t mtu, bool answer)
{
	static struct packet p; // under the lock
	uint64_t at = 0;
	uint32_t psn = w->psn;

	do {
		const uint64_t n = MIN(length - at, mtu), padding = -n & 3;
		const bool first = !at, last = at + n == length;
		const int op = !answer ? opcode(r, first, last) : READ_FIRST + (first && last ? 3 : last ? 2 : !first);

		begin(&p, w->from, w->to, w->source);
		base(&p, transport(w->type) | op, r->solicited && last && !answer, padding, w->dest, psn++);
		if (!answer)
			extended(&p, w, r, first, last);
		else if (first || last)
			put(&p, 0x1f000000, 4);
		put_bytes(&p, data + at, n);
		put(&p, 0, (int)padding);
		end(&p);
		at += n;
	} while (at < length);
}

// syndrome is that of an acknowledgement, or -1 if none comes.
static int syndrome(int status, uint32_t rnr_timer)
{
	switch (status) {
	case IBV_WC_SUCCESS: return 0x1f;
	case NOT_READY: return 0x20 | (int)(rnr_timer & 31);
	case IBV_WC_REM_INV_REQ_ERR: return 0x61;
	case IBV_WC_REM_ACCESS_ERR: return 0x62;
	case IBV_WC_REM_OP_ERR: return 0x63;
	default: return -1;
	}
}

static void answer(const struct way *w, const struct request *r, const uint8_t *data, int status, uint32_t rnr_timer, uint64_t mtu)
{
	static struct packet p; // under the lock
	const bool atomic = (r->op == SWAP || r->op == ADD) && status == IBV_WC_SUCCESS;
	const int s = syndrome(status, rnr_timer);

	if (s < 0)
		return;
	if (r->op == READ && status == IBV_WC_SUCCESS) {
		parts(w, r, data, r->length, mtu, true);
		return;
	}
	begin(&p, w->from, w->to, w->source);
	base(&p, transport(w->type) | (atomic ? ATOMIC_ACKNOWLEDGE : ACKNOWLEDGE), false, 0, w->dest, w->psn);
	put(&p, (uint64_t)s << 24, 4);
	if (atomic)
		put(&p, *(const uint64_t *)(const void *)data, 8);
	end(&p);
}

void pcap_message(const struct source *from, const struct target *to, const struct request *r, int status, uint32_t rnr_timer)
{
	const struct qp *q = net_find(to->number);
	const uint64_t mtu = from->type == IBV_QPT_UD ? 4096 : 128u << (q && q->at.path_mtu ? q->at.path_mtu : IBV_MTU_1024);
	struct way w = {from->gid, to->gid, from->number, to->number, from->type, from->psn}, back = w;
	struct piece all = {.length = (uint32_t)r->length};
	uint8_t *data;

	if (file < 0 || (r->op != SEND && r->op != SEND_INVALIDATE && r->op != WRITE && r->op != READ && r->op != SWAP && r->op != ADD))
		return;
	data = r->length <= (from->type == IBV_QPT_UD ? mtu : MOST) ? calloc(1, MAX(r->length, (uint64_t)8)) : NULL;
	if (!data) {
		note("a message of %lu bytes is not captured\n", (long)r->length);
		return;
	}
	all.memory = data;
	copy_pieces(&all, 1, 0, r->pieces, r->n, r->length);
	parts(&w, r, data, r->op == READ || r->op == SWAP || r->op == ADD ? 0 : r->length, mtu, false);
	back.from = to->gid;
	back.to = from->gid;
	back.source = to->number;
	back.dest = from->number;
	if (from->type != IBV_QPT_UC && from->type != IBV_QPT_UD)
		answer(&back, r, data, status, rnr_timer, mtu);
	free(data);
}
