// What only C programs do with event channels: write in handlers of signals, close a channel with a request that nobody took or in
// which threads wait, and start programs by vfork. It prints what is wrong.
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int own[2], others[2];

static void write_from_handler(int signal)
{
	char c = (char)signal;

	(void)!write(own[1], &c, 1);
}

// Handlers come while this thread writes.
static void handlers(void)
{
	const struct sigaction a = {.sa_handler = write_from_handler, .sa_flags = SA_RESTART};
	const struct itimerval quick = {{0, 500}, {0, 500}}, none = {0};
	char c;

	if (pipe2(own, O_NONBLOCK) || pipe(others))
		exit(2);
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &quick, NULL);
	for (int i = 0; i < 100000; i++)
		if (write(others[1], "x", 1) != 1 || read(others[0], &c, 1) != 1)
			puts("a pipe that is not of the card");
	setitimer(ITIMER_REAL, &none, NULL);
}

static void await(struct rdma_event_channel *ch, enum rdma_cm_event_type want)
{
	struct rdma_cm_event *e;

	if (rdma_get_cm_event(ch, &e) || e->event != want)
		printf("no event %s\n", rdma_event_str(want));
	rdma_ack_cm_event(e);
}

// The kernel ends the identifier of a request with the channel of its listener.
static void untaken(struct rdma_event_channel *ch)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("192.168.77.1")};
	struct rdma_event_channel *server = rdma_create_event_channel();
	struct rdma_conn_param p = {.qp_num = 5};
	struct rdma_cm_id *l, *id;

	rdma_create_id(server, &l, NULL, RDMA_PS_TCP);
	if (rdma_bind_addr(l, (struct sockaddr *)&at) || rdma_listen(l, 1))
		puts("no listener");
	at.sin_port = rdma_get_src_port(l);
	rdma_create_id(ch, &id, NULL, RDMA_PS_TCP);
	rdma_resolve_addr(id, NULL, (struct sockaddr *)&at, 1000);
	await(ch, RDMA_CM_EVENT_ADDR_RESOLVED);
	rdma_resolve_route(id, 1000);
	await(ch, RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (rdma_connect(id, &p))
		puts("no request");
	rdma_destroy_event_channel(server);
	await(ch, RDMA_CM_EVENT_REJECTED);
	rdma_destroy_id(id);
}

static sem_t taken;

struct taker {
	struct rdma_event_channel *ch;
	_Atomic pid_t id;
};

static void *take(void *arg)
{
	struct taker *t = arg;
	struct rdma_cm_event *e;

	t->id = gettid();
	if (rdma_get_cm_event(t->ch, &e))
		perror("waiting in a channel whose descriptor is closed");
	else
		rdma_ack_cm_event(e);
	sem_post(&taken);
	return NULL;
}

// Returns when a thread sleeps.
static void sleeps(struct taker *t)
{
	char path[64], state = 0;

	while (!t->id)
		usleep(1000);
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", t->id);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
			exit(3);
		fclose(f);
		usleep(1000);
	}
}

// Two threads wait in the kernel while the descriptor that they use is closed. Each takes an event: one that the other has taken wakes
// nobody for good.
static void closed(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("192.168.77.1")};
	struct rdma_event_channel *ch = rdma_create_event_channel();
	const int copy = dup(ch->fd), first = ch->fd;
	struct taker takers[2] = {{ch, 0}, {ch, 0}};
	struct rdma_cm_id *id;
	pthread_t threads[2];

	sem_init(&taken, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take, &takers[i]);
	for (int i = 0; i < 2; i++)
		sleeps(&takers[i]);
	ch->fd = copy;
	close(first);
	rdma_create_id(ch, &id, NULL, RDMA_PS_TCP);
	rdma_resolve_addr(id, NULL, (struct sockaddr *)&at, 1000);
	sem_wait(&taken); // only then does librdmacm know the device
	rdma_resolve_route(id, 1000);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	rdma_destroy_id(id);
	rdma_destroy_event_channel(ch);
}

// A child of vfork has the memory of this process and other descriptors.
static void spawned(struct rdma_event_channel *ch)
{
	struct rdma_cm_id *id;
	const pid_t child = vfork();

	if (!child) {
		close(ch->fd);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (rdma_create_id(ch, &id, NULL, RDMA_PS_TCP))
		perror("after a child closed its descriptor");
	else
		rdma_destroy_id(id);
}

int main(void)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();

	if (!ch)
		return 1;
	handlers();
	for (int i = 0; i < 50; i++)
		untaken(ch);
	closed();
	spawned(ch);
	rdma_destroy_event_channel(ch);
	return 0;
}
