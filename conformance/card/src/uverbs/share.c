// Regions of an open file that more than one process has. A card reaches the memory of all of them. Here a process copies from and to the
// memory of another, which the kernel may refuse; if the memory is of a file that both have mapped, it reaches it without the other.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uverbs/provider.h"
#include "wire/segment.h"

// What the open file has of a region. The key comes first, as object_seek wants it.
struct facts {
	uint32_t key, access;
	uint64_t memory, length, iova;  // memory: an address of its owner, or an offset in the pages of the file
	uint32_t pd;                    // handles
	int64_t dm;                     // or -1
	uint32_t owner, life;           // the process that has the memory, as segment_self names it; life 0: nobody
	unsigned major, minor;          // the file that it is of
	uint64_t inode, offset;         // inode 0: of none
};

_Static_assert(sizeof(struct facts) <= FACTS, "facts of a region");

// of_file reports whether a page is of a file, can be shared, or is not there yet: bits 61 and 63 of its word in /proc/self/pagemap. It
// saves most registrations a look at all mappings.
static bool of_file(uint64_t address)
{
	const int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t word = 0;

	if (fd >= 0 && pread(fd, &word, sizeof word, (off_t)(address / PAGE * sizeof word)) < 0)
		word = 0;
	syscall(SYS_close, fd);
	return word >> 61 & 1 || !(word >> 63);
}

// find_file notes the file that memory is of, if it is shared.
static void find_file(struct facts *f)
{
	FILE *maps = of_file(f->memory) ? fopen("/proc/self/maps", "re") : NULL;
	struct mapping m;

	f->inode = 0;
	while (maps && mapping_next(maps, &m))
		if (mapping_holds(&m, f->memory, f->length) && m.can[3] == 's') {
			f->major = m.major;
			f->minor = m.minor;
			f->offset = m.offset + (f->memory - m.start);
			f->inode = m.inode;
		}
	if (maps)
		fclose(maps);
}

// copied maps the memory of another process's region once more, where this process has its file mapped. The mapping of the program can go.
static bool copied(struct mr *mr, const struct facts *f)
{
	FILE *maps = f->inode ? fopen("/proc/self/maps", "re") : NULL;
	const uint64_t skip = f->offset % PAGE;
	struct mapping m;

	while (!mr->copy && maps && mapping_next(maps, &m)) {
		if (m.can[3] != 's' || m.inode != f->inode || m.major != f->major || m.minor != f->minor || m.offset > f->offset ||
			!within(f->offset - m.offset, f->length, m.end - m.start))
			continue;
		mr->copy_length = skip + f->length;
		mr->copy = mremap((void *)(m.start + (f->offset - skip - m.offset)), 0, mr->copy_length, MREMAP_MAYMOVE);
		if (mr->copy == MAP_FAILED)
			mr->copy = NULL;
	}
	if (maps)
		fclose(maps);
	if (mr->copy)
		mr->key.memory = (uint8_t *)mr->copy + skip;
	return mr->copy;
}

static bool locate(struct key *k, pid_t *process)
{
	struct mr *mr = OF(k, struct mr, key);
	const struct facts *f = object_facts(&mr->o);

	*process = mr->copy ? 0 : segment_pid(f->owner, f->life);
	return mr->copy || *process || copied(mr, f);
}

static void follow(struct mr *mr)
{
	mr->key.now = object_life(&mr->o);
	mr->key.then = mr->o.life;
}

void memory_publish(struct mr *mr)
{
	struct facts *f = object_facts(&mr->o);

	follow(mr);
	f->access = mr->key.access;
	f->length = mr->key.length;
	f->iova = mr->key.iova;
	f->pd = mr->key.pd->o.handle;
	f->dm = mr->dm ? (int64_t)mr->dm->o.handle : -1;
	if (!mr->key.locate) {
		f->memory = (uintptr_t)mr->key.memory - (mr->dm ? (uintptr_t)mr->o.ctx->pages : 0);
		f->owner = segment_self(&f->life);
		if (!mr->dm)
			find_file(f);
	}
	__atomic_store_n(&f->key, mr->key.value, __ATOMIC_RELEASE);
}

void memory_forget(const struct mr *mr)
{
	struct facts *f = object_facts(&mr->o);

	if (!mr->o.inherited && *object_life(&mr->o) == mr->o.life)
		f->life = 0;
}

struct object *memory_import(struct context *c, uint32_t handle, const void *facts)
{
	const struct facts *f = facts;
	uint32_t life;
	const bool own = segment_self(&life) == f->owner && life == f->life;
	struct pd *pd = object_find(c, UVERBS_OBJECT_PD, f->pd);
	struct dm *dm = f->dm < 0 ? NULL : object_find(c, UVERBS_OBJECT_DM, (uint64_t)f->dm);
	struct mr *mr = f->key && pd && (dm || f->dm < 0) ? calloc(1, sizeof *mr) : NULL;

	if (!mr)
		return NULL;
	mr->dm = dm;
	mr->key = (struct key){
		.value = f->key, .dev = c->dev, .pd = pd, .access = f->access, .iova = f->iova, .length = f->length,
		.memory = (dm ? c->pages : NULL) + f->memory, .locate = dm || own ? NULL : locate,
	};
	object_import(c, &mr->o, handle, memory_end);
	mr->o.needs[0] = &pd->o; // as its entry has counted
	mr->o.needs[1] = dm ? &dm->o : NULL;
	follow(mr);
	key_put(&mr->key);
	if (mr->key.locate)
		copied(mr, f);
	return &mr->o;
}

struct key *key_shared(uint32_t value)
{
	struct object *o = object_seek(UVERBS_OBJECT_MR, value);

	return o ? &OF(o, struct mr, o)->key : NULL;
}
