#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uverbs/object.h"
#include "uverbs/provider.h"

enum { HANDLES = 1 << 20 };

// What is known of a handle in all processes. It is free without a type.
struct entry {
	_Atomic uint32_t type, life;
	_Atomic int32_t users;
	_Alignas(8) uint8_t facts[FACTS];
};

struct head {
	char magic[8];
	uint32_t device;
	ino_t folder;             // of the card
};

// The part of an open file behind its pages.
struct shared {
	struct head head;
	pthread_mutex_t turn;
	bool begun;
	_Atomic uint32_t count;   // of entries that were used
	uint32_t free;            // no entry below is free
	struct entry entries[HANDLES];
};

static LIST_HEAD(, context) contexts;
static bool discarding; // what ends lives on in the file
static struct object *made; // by the command that runs

// folder is the number of the card's folder, or 0: processes on different cards do not share objects.
static ino_t folder(void)
{
	const char *dir = getenv("CARD_WIRE");
	struct stat st;

	return dir && !syscall(SYS_newfstatat, AT_FDCWD, dir, &st, 0) ? st.st_ino : 0;
}

static size_t size_of(const struct device *dev)
{
	return dev->provider->size + sizeof(struct shared);
}

static struct context *make(struct device *dev, int fd)
{
	struct context *c = calloc(1, sizeof *c);
	struct stat st;

	if (!c)
		return NULL;
	fd_stat(fd, &st);
	c->inode = st.st_ino;
	c->where = st.st_dev;
	c->pages = (uint8_t *)syscall(SYS_mmap, NULL, size_of(dev), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (c->pages == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->shared = (struct shared *)(void *)(c->pages + dev->provider->size);
	c->dev = dev;
	LIST_INSERT_HEAD(&contexts, c, link);
	return c;
}

struct context *context_new(struct device *dev, int fd)
{
	struct context *c = ftruncate(fd, (off_t)size_of(dev)) ? NULL : make(dev, fd);
	pthread_mutexattr_t a;

	if (!c)
		return NULL;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&c->shared->turn, &a);
	c->shared->head = (struct head){"uverbs\n", (uint32_t)dev->index, folder()};
	return c;
}

struct context *context_adopt(int fd, off_t size)
{
	struct head h;

	for (int i = 0; i < ndevices; i++)
		if ((size_t)size == size_of(&devices[i]) && pread(fd, &h, sizeof h, (off_t)devices[i].provider->size) == sizeof h &&
			!memcmp(h.magic, "uverbs\n", sizeof h.magic) && h.device == (uint32_t)i && h.folder && h.folder == folder())
			return make(&devices[i], fd);
	return NULL;
}

// A process that died in its turn left the entries as they are: each is written in an order in which that does no harm.
void context_turn(struct context *c, bool begins)
{
	if (!begins)
		pthread_mutex_unlock(&c->shared->turn);
	else if (pthread_mutex_lock(&c->shared->turn) == EOWNERDEAD)
		pthread_mutex_consistent(&c->shared->turn);
}

bool *context_begun(const struct context *c)
{
	return &c->shared->begun;
}

// discard frees what this process knows of an object.
static void discard(struct object *o)
{
	discarding = true;
	o->end(o);
	discarding = false;
}

// kept reports whether the end of the file in this process leaves an object to others.
static bool kept(const struct object *o)
{
	return o->inherited || o->type == UVERBS_OBJECT_PD || o->type == UVERBS_OBJECT_DM || o->type == UVERBS_OBJECT_MR;
}

// Objects are released in rounds, those that nothing needs first (uverbs_destroy_ufile_hw does the same).
void context_end(struct context *c)
{
	bool any = true;

	context_turn(c, true);
	while (any) {
		any = false;
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i] && !kept(c->slots[i]) && !object_users(c->slots[i])) {
				c->slots[i]->end(c->slots[i]);
				any = true;
			}
	}
	for (uint32_t i = 0; i < c->count; i++)
		if (c->slots[i])
			discard(c->slots[i]);
	context_turn(c, false);
	channels_end(c);
	LIST_REMOVE(c, link);
	munmap(c->pages, size_of(c->dev));
	free(c->slots);
	free(c);
}

static struct entry *entry_of(const struct object *o)
{
	return &o->ctx->shared->entries[o->handle];
}

// make_room has slots for a handle.
static bool make_room(struct context *c, uint32_t handle)
{
	uint32_t n = c->count ? c->count : 16;
	struct object **slots;

	while (n <= handle)
		n *= 2;
	slots = n == c->count ? c->slots : realloc(c->slots, n * sizeof(struct object *));
	if (!slots)
		return false;
	memset(slots + c->count, 0, (n - c->count) * sizeof(struct object *));
	c->slots = slots;
	c->count = n;
	return true;
}

static void put(struct context *c, struct object *o, uint32_t handle, void (*end)(struct object *))
{
	c->slots[handle] = o;
	o->ctx = c;
	o->handle = handle;
	o->end = end;
	o->life = atomic_load(&entry_of(o)->life);
}

void *object_new(struct context *c, int type, size_t size, void (*end)(struct object *))
{
	struct entry *const all = c->shared->entries;
	static uint32_t numbers;
	struct object *o = calloc(1, size);
	uint32_t i = c->shared->free;

	while (i < HANDLES && atomic_load(&all[i].type))
		i++;
	if (!o || i == HANDLES || !make_room(c, i)) {
		free(o);
		refuse(ENOMEM);
	}
	if (c->slots[i]) // of an object that another process ended
		discard(c->slots[i]);
	put(c, o, i, end);
	o->type = type;
	o->number = ++numbers;
	atomic_store(&all[i].users, 0);
	memset(all[i].facts, 0, FACTS);
	atomic_store(&all[i].type, (uint32_t)type);
	c->shared->free = i + 1;
	if (i >= atomic_load(&c->shared->count))
		atomic_store(&c->shared->count, i + 1);
	return made = o;
}

void *object_own(struct object *o, size_t size)
{
	o->own = calloc(1, size);
	refuse_if(!o->own, ENOMEM);
	return o->own;
}

void object_import(struct context *c, struct object *o, uint32_t handle, void (*end)(struct object *))
{
	put(c, o, handle, end);
	o->type = (int)atomic_load(&entry_of(o)->type);
	o->inherited = true;
}

// leave frees the handle of an object.
static void leave(struct object *o)
{
	struct shared *s = o->ctx->shared;

	o->ctx->slots[o->handle] = NULL;
	if (discarding)
		return;
	atomic_store(&entry_of(o)->type, 0);
	atomic_fetch_add(&entry_of(o)->life, 1);
	s->free = MIN(s->free, o->handle);
}

void object_use(struct object *o, int by)
{
	if (o && !discarding)
		atomic_fetch_add(&entry_of(o)->users, by);
}

void object_needs(struct object *o, void *other)
{
	int i = 0;

	while (o->needs[i])
		i++;
	object_use(other, 1);
	o->needs[i] = other;
}

static void need_nothing(struct object *o)
{
	for (size_t i = 0; i < sizeof o->needs / sizeof *o->needs; i++)
		object_use(o->needs[i], -1);
}

void object_drop(struct object *o)
{
	event_forget_async(o);
	need_nothing(o);
	leave(o);
	free(o->own);
	free(o);
}

void object_done(int err)
{
	if (err && made)
		object_drop(made);
	made = NULL;
}

void object_replace(struct object *o, struct object *other)
{
	const int users = object_users(o);

	need_nothing(o);
	leave(o);
	put(other->ctx, o, other->handle, o->end);
	memcpy(o->needs, other->needs, sizeof o->needs);
	o->user = other->user;
	o->async_raised = other->async_raised;
	atomic_store(&entry_of(o)->users, users);
	free(other);
}

int object_users(const struct object *o)
{
	return atomic_load(&entry_of(o)->users);
}

void *object_facts(const struct object *o)
{
	return entry_of(o)->facts;
}

void object_changed(struct object *o)
{
	o->life = atomic_fetch_add(&entry_of(o)->life, 1) + 1;
}

const _Atomic uint32_t *object_life(const struct object *o)
{
	return &entry_of(o)->life;
}

// known returns the object of a handle that this process knows, or makes it out of its entry.
static struct object *known(struct context *c, uint32_t handle)
{
	const struct entry *e = &c->shared->entries[handle];

	if (handle < c->count && c->slots[handle] && c->slots[handle]->life != atomic_load(&e->life))
		discard(c->slots[handle]);
	if (!atomic_load(&e->type) || !make_room(c, handle))
		return NULL;
	if (c->slots[handle])
		return c->slots[handle];
	switch (atomic_load(&e->type)) {
	case UVERBS_OBJECT_PD:
		return domain_import(c, handle, e->facts);
	case UVERBS_OBJECT_DM:
		return dm_import(c, handle, e->facts);
	case UVERBS_OBJECT_MR:
		return memory_import(c, handle, e->facts);
	default:
		return NULL;
	}
}

struct object *object_seek(int type, uint32_t number)
{
	struct context *c;

	LIST_FOREACH(c, &contexts, link)
		for (uint32_t i = 0; i < atomic_load(&c->shared->count); i++) {
			const struct entry *e = &c->shared->entries[i];

			if (atomic_load(&e->type) == (uint32_t)type && !memcmp(e->facts, &number, sizeof number))
				return known(c, i);
		}
	return NULL;
}

void object_all(struct context *c, int type)
{
	for (uint32_t i = 0; i < atomic_load(&c->shared->count); i++)
		if (atomic_load(&c->shared->entries[i].type) == (uint32_t)type)
			known(c, i);
}

static struct object *find(struct context *c, uint64_t handle)
{
	return handle < atomic_load(&c->shared->count) ? known(c, (uint32_t)handle) : NULL;
}

void *object_find(struct context *c, int type, uint64_t handle)
{
	struct object *o = find(c, handle);

	return o && o->type == type ? o : NULL;
}

void *object_get(struct context *c, int type, uint64_t handle)
{
	struct object *o = find(c, handle);

	check(!o ? ENOENT : o->type != type ? EINVAL : 0);
	return o;
}

void object_unused(const struct object *o)
{
	refuse_if(object_users(o), EBUSY);
}

void object_destroy(struct context *c, int type, uint64_t handle)
{
	struct object *o = object_get(c, type, handle);

	object_unused(o);
	o->end(o);
}

void object_each(int type, void (*f)(struct object *, void *), void *arg)
{
	struct context *c;

	LIST_FOREACH(c, &contexts, link)
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i] && c->slots[i]->type == type && !c->slots[i]->inherited)
				f(c->slots[i], arg);
}

bool context_any(void)
{
	return __atomic_load_n(&LIST_FIRST(&contexts), __ATOMIC_RELAXED);
}

struct context *context_at(const struct stat *st)
{
	struct context *c;

	LIST_FOREACH(c, &contexts, link)
		if (c->inode == st->st_ino && c->where == st->st_dev)
			break;
	return c;
}

void context_each(void (*f)(struct context *))
{
	for (struct context *c = LIST_FIRST(&contexts), *next; c; c = next) {
		next = LIST_NEXT(c, link); // f may end c
		f(c);
	}
}

void object_forked(void)
{
	struct context *c;

	LIST_FOREACH(c, &contexts, link)
		for (uint32_t i = 0; i < c->count; i++)
			if (c->slots[i])
				c->slots[i]->inherited = true;
}
