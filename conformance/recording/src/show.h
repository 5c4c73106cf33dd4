// The tables that describe records, and how a record is written down: a line for each field, with its part, path and value.

enum kind {
	UINT, SINT, BIG, // numbers: unsigned, signed, in network order
	BYTES, TEXT,
	POINTER, // to anything
	OBJECT,  // to what a verb made
	CONTEXT, // to the context of the object
	FUNC,
	RECORD, // a record within this one
	LIST,   // a pointer to records
	OPAQUE,
};

struct record;

// One of the records that a pointer without a type can point to, and the number that says so.
struct choice {
	uint64_t is;
	const struct record *type; // NULL: behind the last one
};

struct field {
	const char *name;
	enum kind kind;
	size_t offset, size;
	const struct record *type; // of OBJECT, RECORD and LIST
	const char *count;         // of LIST: the field with the number of records; NULL for one; with "<<" in front a logarithm
	void (*function)(void);    // of FUNC: what records its calls
	const char *tag;           // of POINTER: the field that says which of choices it points to; NULL: nobody knows
	const struct choice *choices;
};

struct record {
	const char *tag;
	size_t size;
	const struct field *fields;
	size_t n;
	const struct record *behind; // LIST after the record, each record with its own size in size_field
	const char *count, *size_field;
	const struct record *whole; // the record that begins with this one, and is made in its place
};

// How records and objects are filled.
enum { AS_IS, OWN, ONES };

// An argument of a call.
struct arg {
	const char *name;
	enum kind kind;
	size_t size; // of a number, or of what the pointer points to
	uint64_t value;
	const struct record *type;
	const char *count; // of LIST: the argument with the number of records, or the number
	int out;           // the function may write to it
};

// Results of functions.
enum result { NOTHING, CODE, VALUE, STRING, MADE, OPENED, DEVICES, SAME };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unlock(pthread_mutex_t **m)
{
	pthread_mutex_unlock(*m);
}

// LOCKED has the lock to the end of the block.
#define LOCKED pthread_mutex_t *locked __attribute__((cleanup(unlock))) = (pthread_mutex_lock(&lock), &lock)

// What was written since the last recording_take, and what that took.
static FILE *out;
static char *lines, *taken;
static size_t length;

static FILE *written(void)
{
	if (!out)
		out = open_memstream(&lines, &length);
	return out;
}

#define put(...) fprintf(written(), __VA_ARGS__)

// Everything that was handed out, until recording_forget.
static struct kept {
	struct kept *next;
	max_align_t memory[];
} *kept;

static void *keep(size_t size)
{
	struct kept *k = calloc(1, sizeof *k + size);

	if (!k)
		abort();
	k->next = kept;
	kept = k;
	return k->memory;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "load takes the first bytes of a number for its low ones");

static uint64_t load(const void *from, size_t size, enum kind kind)
{
	uint64_t v = 0;

	memcpy(&v, from, size);
	if (kind == BIG)
		v = be64toh(v) >> (64 - 8 * size);
	if (kind == SINT && size < 8 && v >> (8 * size - 1))
		v |= ~0ull << (8 * size);
	return v;
}

static const struct field *named(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->fields[i].name, name))
			return &r->fields[i];
	abort();
}

// number reads the field that says how many, by its name in struct field or record.
static uint64_t number(const struct record *r, const char *p, const char *name)
{
	int logarithm = name && !strncmp(name, "<<", 2);
	const struct field *f;
	uint64_t n;

	if (!name)
		return 1;
	f = named(r, name + 2 * logarithm);
	n = load(p + f->offset, f->size, f->kind);
	return logarithm ? 1ull << n : n;
}

enum { MOST_RECORDS = 64, MOST_DEPTH = 16, PATH = 512 };

static void show(const char *part, const char *path, const struct record *r, const char *p, int depth);

static void show_list(const char *part, const char *path, const struct record *r, const char *p, uint64_t n, int depth);

// show_chosen writes the record that a pointer without a type points to.
static void show_chosen(const char *part, const char *path, const struct record *r, const struct field *f, const char *p, int depth)
{
	const uint64_t is = number(r, p, f->tag);

	for (const struct choice *c = f->choices; c->type; c++)
		if (c->is == is)
			show_list(part, path, c->type, *(char **)(p + f->offset), 1, depth);
}

static void show_list(const char *part, const char *path, const struct record *r, const char *p, uint64_t n, int depth)
{
	char at[PATH];

	for (uint64_t i = 0; p && i < n && i < MOST_RECORDS; i++) {
		snprintf(at, sizeof at, "%s[%llu]", path, (unsigned long long)i);
		show(part, at, r, p + i * r->size, depth + 1);
	}
}

// show_behind writes the records that follow a record in memory.
static void show_behind(const char *part, const char *path, const struct record *r, const char *p, int depth)
{
	uint64_t n = number(r, p, r->count), size;
	const char *next = p + r->size;
	char at[PATH], *copy;

	for (uint64_t i = 0; i < n && i < MOST_RECORDS; i++) {
		size = number(r->behind, next, r->size_field);
		snprintf(at, sizeof at, "%s[%llu]", path, (unsigned long long)i);
		copy = calloc(1, r->behind->size);
		memcpy(copy, next, size < r->behind->size ? size : r->behind->size);
		show(part, at, r->behind, copy, depth + 1);
		free(copy);
		if (!size)
			return;
		next += size;
	}
}

// show writes a line for each field: part, path, value.
static void show(const char *part, const char *path, const struct record *r, const char *p, int depth)
{
	char at[PATH];

	if (depth > MOST_DEPTH)
		return;
	for (const struct field *f = r->fields; f < r->fields + r->n; f++) {
		snprintf(at, sizeof at, "%s%s%s", path, *f->name ? "." : "", f->name);
		switch (f->kind) {
		case OPAQUE:
			continue;
		case RECORD:
			show(part, at, f->type, p + f->offset, depth + 1);
			continue;
		case BYTES:
		case TEXT:
			put("%s\t%s\tx", part, at);
			for (size_t i = 0; i < f->size; i++)
				put("%02x", (unsigned char)p[f->offset + i]);
			put("\n");
			continue;
		default:
			put("%s\t%s\t%llu\n", part, at, (unsigned long long)load(p + f->offset, f->size, f->kind));
		}
		if (f->kind == POINTER && f->tag)
			show_chosen(part, at, r, f, p, depth);
		if (f->kind == LIST)
			show_list(part, at, f->type, *(char **)(p + f->offset), number(r, p, f->count), depth);
	}
	if (r->behind)
		show_behind(part, path, r, p, depth);
}
