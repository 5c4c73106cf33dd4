#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wire/segment.h"

// The state of an exchange; for those behind TAKEN, the process that it is for stands above it.
enum { FREE, TAKEN, ASKED, UNAWAITED, DONE, GONE, STATE = 0xff, PROCESS_SHIFT = 8 };

struct segment {
	_Atomic uint64_t tickets;
	_Atomic uint32_t last;               // the number given last
	_Atomic uint32_t owner[NUMBERS];     // the process that has a number, and 1
	_Atomic uint32_t numbers[PROCESSES]; // how many a process has
	_Atomic uint32_t lives[PROCESSES];   // how many processes were a number
	_Atomic uint32_t state[EXCHANGES];
	struct exchange exchanges[EXCHANGES];
};

static struct segment *shared;
static int file = -1, self;

static bool alive(int process)
{
	return process == self || byte_lock(file, process, F_GETLK, F_WRLCK, NULL) == F_WRLCK;
}

bool segment_other(int process)
{
	return process >= 0 && process != self && atomic_load(&shared->numbers[process]) && alive(process);
}

// clean takes away what a dead process of this number left.
static void clean(void)
{
	for (int i = 0; i < NUMBERS; i++)
		if (atomic_load(&shared->owner[i]) == (uint32_t)self + 1)
			atomic_store(&shared->owner[i], 0);
	atomic_store(&shared->numbers[self], 0);
	for (int i = 0; i < EXCHANGES; i++) {
		const uint32_t s = atomic_load(&shared->state[i]);
		const bool here = (s & STATE) > TAKEN && (int)(s >> PROCESS_SHIFT) == self;

		if ((s & STATE) != FREE && shared->exchanges[i].from == (uint32_t)self)
			atomic_store(&shared->state[i], FREE);
		else if (here && ((s & STATE) == ASKED || (s & STATE) == UNAWAITED))
			atomic_store(&shared->state[i], (s & STATE) == ASKED ? GONE | s >> PROCESS_SHIFT << PROCESS_SHIFT : FREE);
	}
}

// join opens the file, and finds a free place among the processes.
static int join(const char *dir)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/card-wire-%zx", dir, sizeof *shared) >= PATH_MAX)
		return ENAMETOOLONG;
	file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || ftruncate(file, sizeof *shared))
		return errno;
	shared = (struct segment *)syscall(SYS_mmap, NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shared == MAP_FAILED)
		return errno;
	for (self = 0; self < PROCESSES; self++)
		if (byte_lock(file, self, F_SETLK, F_WRLCK, NULL) >= 0) {
			clean();
			atomic_fetch_add(&shared->lives[self], 1);
			return 0;
		}
	return ENOSPC;
}

// begin runs with the first queue pair or key, so that processes without one need no place.
static void begin(void)
{
	const char *dir = getenv("CARD_WIRE");
	const int err = dir ? join(dir) : ENOENT;

	if (err) {
		dprintf(STDERR_FILENO, "card: cannot join the processes of CARD_WIRE=%s: %s\n", dir ? dir : "", strerror(err));
		_exit(127);
	}
}

void segment_forked(void)
{
	if (shared)
		munmap(shared, sizeof *shared);
	if (file >= 0)
		syscall(SYS_close, file);
	shared = NULL;
	file = -1;
	self = 0;
}

uint32_t segment_self(uint32_t *life)
{
	if (!shared)
		begin();
	*life = atomic_load(&shared->lives[self]);
	return (uint32_t)self + 1;
}

pid_t segment_pid(uint32_t process, uint32_t life)
{
	pid_t holder;

	if (!shared || atomic_load(&shared->lives[process - 1]) != life)
		return 0;
	return byte_lock(file, (int)process - 1, F_GETLK, F_WRLCK, &holder) == F_WRLCK ? MAX(holder, 0) : 0;
}

// Numbers are not used again soon, so that a message to a destroyed queue pair reaches nobody.
int segment_number(uint32_t *number)
{
	if (!shared)
		begin();
	for (int i = 0; i < NUMBERS; i++) {
		const uint32_t n = FIRST_NUMBER + atomic_fetch_add(&shared->last, 1) % (NUMBERS - FIRST_NUMBER);
		uint32_t nobody = 0;

		if (atomic_compare_exchange_strong(&shared->owner[n], &nobody, (uint32_t)self + 1)) {
			*number = n;
			atomic_fetch_add(&shared->numbers[self], 1);
			return 0;
		}
	}
	return ENOMEM;
}

void segment_release(uint32_t number)
{
	atomic_store(&shared->owner[number], 0);
	atomic_fetch_sub(&shared->numbers[self], 1);
}

int segment_owner(uint32_t number)
{
	const int owner = shared && number < NUMBERS ? (int)atomic_load(&shared->owner[number]) - 1 : -1;

	return owner == self || !segment_other(owner) ? -1 : owner;
}

int exchange_index(const struct exchange *x)
{
	return (int)(x - shared->exchanges);
}

static _Atomic uint32_t *state_of(const struct exchange *x)
{
	return &shared->state[exchange_index(x)];
}

static struct exchange *take_free(void)
{
	for (int i = 0; i < EXCHANGES; i++) {
		uint32_t free = FREE;

		if (atomic_compare_exchange_strong(&shared->state[i], &free, TAKEN)) {
			shared->exchanges[i].from = (uint32_t)self;
			return &shared->exchanges[i];
		}
	}
	return NULL;
}

struct exchange *exchange_take(void)
{
	struct exchange *x = take_free();

	if (x)
		return x;
	for (int i = 0; i < EXCHANGES; i++) { // the dead do not free theirs, nor those to them
		const uint32_t s = atomic_load(&shared->state[i]);

		if (!alive((int)shared->exchanges[i].from) || ((s & STATE) == UNAWAITED && !alive((int)(s >> PROCESS_SHIFT))))
			atomic_store(&shared->state[i], FREE);
	}
	return take_free();
}

void exchange_ask(struct exchange *x, int process, bool waits)
{
	x->ticket = atomic_fetch_add(&shared->tickets, 1);
	atomic_store(state_of(x), (waits ? ASKED : UNAWAITED) | (uint32_t)process << PROCESS_SHIFT);
}

int exchange_state(const struct exchange *x)
{
	const uint32_t s = atomic_load(state_of(x));

	if ((s & STATE) == DONE)
		return ANSWERED;
	return (s & STATE) == GONE || !alive((int)(s >> PROCESS_SHIFT)) ? LOST : WAITING;
}

void exchange_drop(struct exchange *x)
{
	uint32_t s = atomic_load(state_of(x));
	const uint32_t unawaited = UNAWAITED | s >> PROCESS_SHIFT << PROCESS_SHIFT;

	if ((s & STATE) == ASKED && alive((int)(s >> PROCESS_SHIFT)) && atomic_compare_exchange_strong(state_of(x), &s, unawaited))
		return;
	atomic_store(state_of(x), FREE);
}

uint64_t exchange_tickets(void)
{
	return shared ? atomic_load(&shared->tickets) : 0;
}

struct exchange *exchange_next(uint64_t point)
{
	struct exchange *first = NULL;

	if (!shared)
		return NULL;
	for (int i = 0; i < EXCHANGES; i++) {
		const uint32_t s = atomic_load(&shared->state[i]);
		struct exchange *x = &shared->exchanges[i];

		if (((s & STATE) == ASKED || (s & STATE) == UNAWAITED) && (int)(s >> PROCESS_SHIFT) == self &&
			x->ticket < (first ? first->ticket : point))
			first = x;
	}
	return first;
}

void exchange_answer(struct exchange *x)
{
	uint32_t asked = ASKED | (uint32_t)self << PROCESS_SHIFT;

	if (!atomic_compare_exchange_strong(state_of(x), &asked, DONE | (uint32_t)self << PROCESS_SHIFT))
		atomic_store(state_of(x), FREE);
}
