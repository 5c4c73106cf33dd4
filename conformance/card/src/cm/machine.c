// The machine: its devices, which have the addresses of the GID table, and the processes that are it. The file card-cm has the ports of
// all of them. A process holds a lock on a byte of it while it lives, so that its death is seen; messages to it go through a FIFO.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cm/cm.h"
#include "uverbs/gid.h"
#include "uverbs/provider.h"
#include "wire/wire.h"

enum { MEMBERS = 250, PORTS_BYTE = MEMBERS, QUEUE = 1 << 20, LOOK_MS = 100 };
_Static_assert(sizeof(struct scm_wire) <= PIPE_BUF, "a message is written as one");

// What the file has.
struct shared {
	struct scm_ports ports;
	_Atomic uint32_t last; // number of a process: one is not used again soon, so that its death is seen
};

static struct scm_machine machine;
static struct shared *shared;
static struct scm_dev all[DEVICES], *list[DEVICES];
static struct scm_gid gids[DEVICES][GIDS];
static bool started;
static int folder = -1, file = -1, queue = -1;

static bool alive(int process)
{
	return byte_lock(file, process, F_GETLK, F_WRLCK, NULL) != F_UNLCK;
}

static void lock_ports(bool lock)
{
	if (byte_lock(file, PORTS_BYTE, F_OFD_SETLKW, lock ? F_WRLCK : F_UNLCK, NULL) < 0)
		abort();
}

// The names have the sizes: another build of the card has other files.
static const char *queue_name(int process, char to[64])
{
	snprintf(to, 64, "card-cm-%zx-%zx-%d", sizeof *shared, sizeof(struct scm_wire), process);
	return to;
}

// With a full queue the message is lost, as on a network. It is opened to be read too: one without a reader ends no program by SIGPIPE.
static void send_far(int process, const struct scm_wire *w)
{
	char name[64];
	const int to = (int)syscall(SYS_openat, folder, queue_name(process, name), O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (to < 0 || syscall(SYS_write, to, w, sizeof *w) != (ssize_t)sizeof *w)
		note("rdma_cm: message %d to process %d is lost\n", w->kind, process);
	if (to >= 0)
		syscall(SYS_close, to);
}

int cm_device(const struct scm_dev *d)
{
	return (int)(d - all);
}

static bool port_up(const struct scm_dev *d, uint8_t port)
{
	(void)port;
	return !fault_of(&devices[cm_device(d)]).down;
}

// loses: what ends the connections of a device that is removed still leaves it (cma_remove_one comes before the driver's part).
static bool loses(const struct scm_dev *d)
{
	const struct device *dev = &devices[cm_device(d)];
	bool lost;

	pthread_mutex_lock(&lock);
	lost = !fault_of(dev).removed && fault_loses(dev);
	pthread_mutex_unlock(&lock);
	return lost;
}

static const struct scm_host host = {
	.id_size = sizeof(struct cm_id), .port_up = port_up, .loses = loses, .send = send_far, .alive = alive, .lock_ports = lock_ports,
};

// Devices of RoCE are those with addresses. Linux takes the entries of version 2 (cma.c, CMA_PREFERRED_ROCE_GID_TYPE).
static void find_devices(void)
{
	for (int i = 0; i < ndevices; i++) {
		struct ib_uverbs_query_port_resp port = {0};
		struct scm_dev *d = &all[i];

		d->gids = gids[i];
		devices[i].provider->port_attr(&devices[i], &port);
		d->mtu = (enum ibv_mtu)port.active_mtu;
		LIST_INIT(&d->ids);
		for (uint32_t k = 0; k < GID_TABLE && d->ngids < GIDS; k++)
			if (gid_at(&devices[i], k, gids[i][d->ngids].gid.raw) == IB_UVERBS_GID_TYPE_ROCE_V2) {
				gids[i][d->ngids].port = 1;
				gids[i][d->ngids++].index = (uint8_t)k;
			}
		if (d->ngids)
			list[machine.ndevs++] = d;
	}
	machine.devs = list;
}

static void take_messages(void)
{
	struct scm_wire w;

	while (queue >= 0 && syscall(SYS_read, queue, &w, sizeof w) == (ssize_t)sizeof w)
		scm_arrive(&machine, &w);
}

// look_for_the_dead tells the identifiers here of peers in processes that died.
static void look_for_the_dead(void)
{
	bool peer[MEMBERS] = {false}, any = false;
	struct scm_channel *ch;
	struct scm_id *id;

	LIST_FOREACH(ch, &machine.channels, link)
		LIST_FOREACH(id, &ch->ids, in_channel)
			if (id->peer && id->peer_process != machine.process)
				peer[id->peer_process] = true;
	for (int i = 0; i < MEMBERS; i++) {
		peer[i] = peer[i] && !alive(i);
		any |= peer[i];
	}
	if (any)
		take_messages(); // its last words
	for (int i = 0; i < MEMBERS; i++)
		if (peer[i])
			scm_process_died(&machine, i);
}

// look_for_devices tells the identifiers of devices that were removed. One can come back.
static void look_for_devices(void)
{
	for (size_t i = 0; i < machine.ndevs; i++) {
		const bool gone = fault_of(&devices[cm_device(list[i])]).removed;

		if (gone && !list[i]->gone)
			scm_dev_remove(list[i]);
		list[i]->gone = gone;
	}
}

static void *loop(void *unused)
{
	struct pollfd p = {.fd = queue, .events = POLLIN};

	(void)unused;
	for (;;) {
		poll(&p, 1, LOOK_MS);
		scm_lock_all();
		take_messages();
		look_for_the_dead();
		look_for_devices();
		scm_unlock_all();
	}
	return NULL;
}

// join opens the file and finds a free place among the processes.
static int join(const char *dir)
{
	int tries = 0;
	char name[64];

	folder = (int)syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof name, "card-cm-%zx-%zx", sizeof *shared, sizeof(struct scm_wire));
	file = folder < 0 ? -1 : (int)syscall(SYS_openat, folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || ftruncate(file, sizeof *shared))
		return errno;
	shared = (void *)syscall(SYS_mmap, NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shared == MAP_FAILED)
		return errno;
	machine.ports = &shared->ports;
	do {
		if (tries++ == MEMBERS)
			return EUSERS;
		machine.process = (int)(atomic_fetch_add(&shared->last, 1) % MEMBERS);
	} while (byte_lock(file, machine.process, F_SETLK, F_WRLCK, NULL) < 0);
	scm_ports_clean(&machine);
	queue_name(machine.process, name);
	if ((unlinkat(folder, name, 0) && errno != ENOENT) || mkfifoat(folder, name, 0666))
		return errno;
	queue = (int)syscall(SYS_openat, folder, name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (queue < 0)
		return errno;
	fcntl(queue, F_SETPIPE_SZ, QUEUE);
	return 0;
}

static void leave(void)
{
	if (machine.ports)
		syscall(SYS_munmap, shared, sizeof *shared);
	machine.ports = NULL;
	syscall(SYS_close, folder);
	syscall(SYS_close, file);
	syscall(SYS_close, queue);
	folder = file = queue = -1;
}

static int begin(void)
{
	const char *dir = getenv("CARD_WIRE");
	int err;

	machine = (struct scm_machine){.host = &host, .random = (uint32_t)now(),
		.cfg = {.response_ns = 6442450944u, .timewait_ns = 2147483648u, .retries = 15, .loopback = true,
			.network = 192u << 24 | 168 << 16 | 77 << 8, .mask = 0xffffff00}};
	memset(all, 0, sizeof all);
	scm_machine_start(&machine);
	find_devices();
	err = dir ? join(dir) : ENOENT;
	if (!err)
		err = thread_new(loop);
	if (err)
		leave();
	return err;
}

struct scm_machine *cm_machine(void)
{
	if (!started) {
		errno = begin();
		started = !errno;
	}
	return started ? &machine : NULL;
}

void cm_machine_forked(void)
{
	started = false;
	leave();
}
