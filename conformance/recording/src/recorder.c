// A libibverbs that records. decls.h includes the real verbs.h, and declares what that is too old for; tables.h describes every
// record and has one function for each function of the library, each operation of a context and each of an object. Both are
// generated from the facts. Fields are found by their names in the real header: offsets and sizes below are those of gcc.
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decls.h"

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

struct field {
	const char *name;
	enum kind kind;
	size_t offset, size;
	const struct record *type; // of OBJECT, RECORD and LIST
	const char *count;         // of LIST: the field with the number of records; NULL for one; with "<<" in front a logarithm
	void (*function)(void);    // of FUNC: what records its calls
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
	const char *count; // of LIST: the argument with the number of records
	int out;           // the function may write to it
};

// Results of functions.
enum result { NOTHING, CODE, VALUE, STRING, MADE, OPENED, DEVICES, SAME };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	char *text;
	size_t len, room;
} written[2]; // the second was taken

static void put(const char *form, ...)
{
	va_list args;
	int n;

	for (;;) {
		size_t left = written[0].room - written[0].len;

		va_start(args, form);
		n = vsnprintf(written[0].text ? written[0].text + written[0].len : NULL, left, form, args);
		va_end(args);
		if (n < 0)
			abort();
		if ((size_t)n < left)
			break;
		written[0].room = written[0].room * 2 + n + 4096;
		written[0].text = realloc(written[0].text, written[0].room);
		if (!written[0].text)
			abort();
	}
	written[0].len += n;
}

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
		if (f->kind == LIST)
			show_list(part, at, f->type, *(char **)(p + f->offset), number(r, p, f->count), depth);
	}
	if (r->behind)
		show_behind(part, path, r, p, depth);
}

// Fields are counted as they are filled, in all records of a call.
static int filled, only = -1;

// own makes the value of a field: no byte is 0, the first is its number, and a signed one is positive.
static void own(char *to, size_t size, enum kind kind, int how)
{
	int n = ++filled;

	if (only >= 0 && n - 1 != only)
		return;
	if (kind == TEXT && how == ONES)
		return;
	if (kind == TEXT) {
		snprintf(to, size, "text %d", n);
		return;
	}
	for (size_t i = 0; i < size; i++)
		to[i] = how == ONES ? 0xff : i ? (int)(0x80 | (n * 7 + i * 29)) : n;
	if (kind == SINT)
		to[size - 1] &= 0x7f;
}

// overlaps says that an earlier field lies in the same memory, as in a union.
static int overlaps(const struct record *r, const struct field *f)
{
	for (const struct field *g = r->fields; g < f; g++)
		if (f->offset < g->offset + g->size && g->offset < f->offset + f->size)
			return 1;
	return 0;
}

// fill gives each field its own value. Of fields that share their memory only the first is filled. Masks stay 0.
static void fill(const struct record *r, char *p, int how)
{
	for (const struct field *f = r->fields; f < r->fields + r->n; f++) {
		if (overlaps(r, f) || !strcmp(f->name, "comp_mask"))
			continue;
		switch (f->kind) {
		case RECORD:
			fill(f->type, p + f->offset, how);
			break;
		case UINT: case SINT: case BIG: case BYTES: case TEXT: case POINTER:
			own(p + f->offset, f->size, f->kind, how);
			break;
		default:
			break;
		}
	}
}

// What was asked for, by verb.
static struct wish {
	const char *verb;
	int how, only, has_result;
	int64_t result;
	const char *field; // set to value besides
	uint64_t value;
	struct wish *next;
} *wishes, objects = {.how = AS_IS, .only = -1};

static struct wish *wish(const char *verb, int make)
{
	struct wish *w;

	for (w = wishes; w; w = w->next)
		if (!strcmp(w->verb, verb))
			return w;
	if (!make)
		return NULL;
	w = keep(sizeof *w);
	w->verb = strcpy(keep(strlen(verb) + 1), verb);
	w->only = -1;
	w->next = wishes;
	return wishes = w;
}

// install connects an object with its context, with the objects it was made from, and with the functions that record.
static void install(const struct record *r, char *p, void *context, const struct arg *args, size_t n)
{
	for (const struct field *f = r->fields; f < r->fields + r->n; f++) {
		if (f->kind == RECORD)
			install(f->type, p + f->offset, context, args, n);
		else if (f->kind == CONTEXT)
			memcpy(p + f->offset, &context, sizeof context);
		else if (f->kind == FUNC)
			memcpy(p + f->offset, &f->function, sizeof f->function);
		for (size_t i = 0; f->kind == OBJECT && i < n; i++)
			if (args[i].kind == OBJECT && args[i].type == f->type)
				memcpy(p + f->offset, &args[i].value, sizeof(void *));
	}
}

static void *make(const struct record *r, void *context, const struct arg *args, size_t n)
{
	const struct record *whole = r->whole ? r->whole : r;
	char *p = keep(whole->size);

	filled = 0;
	only = objects.only;
	if (objects.how != AS_IS)
		fill(r, p, objects.how);
	only = -1;
	install(whole, p, context, args, n);
	show("made", r->tag, r, p, 0);
	return p;
}

#include "tables.h"

static void *open_context(const struct arg *args, size_t n)
{
	struct verbs_context *v = keep(sizeof *v);

	filled = 0;
	only = objects.only;
	if (objects.how != AS_IS)
		fill(&record_struct_ibv_context, (char *)&v->context, objects.how);
	only = -1;
	install(&record_struct_verbs_context, (char *)v, NULL, args, n);
	v->sz = sizeof *v;
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	show("made", "struct ibv_context", &record_struct_ibv_context, (char *)&v->context, 0);
	return &v->context;
}

// context_of finds the context that a call is made in.
static void *context_of(const struct arg *args, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (args[i].kind != OBJECT || !args[i].value)
			continue;
		if (args[i].type == &record_struct_ibv_context)
			return (void *)args[i].value;
		for (const struct field *f = args[i].type->fields; f < args[i].type->fields + args[i].type->n; f++)
			if (f->kind == CONTEXT)
				return *(void **)((char *)args[i].value + f->offset);
	}
	return NULL;
}

static uint64_t count_of(const struct arg *a, const struct arg *args, size_t n)
{
	for (size_t i = 0; a->count && i < n; i++)
		if (!strcmp(args[i].name, a->count))
			return args[i].value;
	return 1;
}

static void show_arg(const char *part, const struct arg *a, uint64_t n)
{
	if (a->kind != LIST || !a->value)
		return;
	if (a->count)
		show_list(part, a->name, a->type, (char *)a->value, n, 0);
	else
		show(part, a->name, a->type, (char *)a->value, 0);
}

// fill_as fills a record with what was asked for.
static void fill_as(const struct wish *w, const struct record *r, char *p)
{
	const struct field *f;

	fill(r, p, w->how);
	for (f = r->fields; w->field && f < r->fields + r->n; f++)
		if (!strcmp(f->name, w->field))
			memcpy(p + f->offset, &w->value, f->size);
}

// answer fills what the function may write to.
static void answer(const struct wish *w, const struct arg *args, size_t n)
{
	filled = 0;
	only = w->only;
	for (const struct arg *a = args; a < args + n; a++) {
		uint64_t many = count_of(a, args, n);

		if (!a->out || !a->value)
			continue;
		if (a->count && w->has_result && (uint64_t)w->result < many)
			many = w->result;
		for (uint64_t i = 0; i < many; i++)
			fill_as(w, a->type, (char *)a->value + i * a->type->size);
		show_arg("out", a, many);
	}
	only = -1;
}

static void *devices(const struct arg *args, size_t n)
{
	void **list = keep(2 * sizeof *list);

	list[0] = make(&record_struct_ibv_device, NULL, NULL, 0);
	if (n && args[0].value)
		*(int *)args[0].value = 1;
	return list;
}

// record writes down a call of the function of a number and makes its result.
static uint64_t record(int function, const char *verb, const struct arg *args, size_t n, enum result result, size_t size, enum kind kind, const struct record *made)
{
	static char text[64];
	const struct wish *w;
	uint64_t v = 0;

	pthread_mutex_lock(&lock);
	w = wish(verb, 0);
	put("call\t%s\t0\n", verb);
	for (const struct arg *a = args; a < args + n; a++) {
		put("in\t%s\t%llu\n", a->name, (unsigned long long)(a->kind == BIG ? load(&a->value, a->size, BIG) : a->value));
		show_arg("in", a, count_of(a, args, n));
	}
	if (w && w->how != AS_IS)
		answer(w, args, n);
	switch (result) {
	case NOTHING:
		break;
	case VALUE:
		filled = function;
		own((char *)&v, size, kind, OWN);
		break;
	case STRING:
		snprintf(text, sizeof text, "text of %.40s", verb);
		v = (uintptr_t)text;
		break;
	case MADE:
		v = (uintptr_t)make(made, context_of(args, n), args, n);
		break;
	case OPENED:
		v = (uintptr_t)open_context(args, n);
		break;
	case DEVICES:
		v = (uintptr_t)devices(args, n);
		break;
	case SAME:
		v = args[0].value;
		break;
	case CODE:
		break;
	}
	if (w && w->has_result)
		memcpy(&v, &w->result, sizeof v);
	put("result\t\t%llu\n", (unsigned long long)(kind == BIG ? load(&v, size, BIG) : v));
	pthread_mutex_unlock(&lock);
	return v;
}

const char *recording_take(void)
{
	pthread_mutex_lock(&lock);
	free(written[1].text);
	put("%s", "");
	written[1] = written[0];
	memset(&written[0], 0, sizeof written[0]);
	pthread_mutex_unlock(&lock);
	return written[1].text;
}

void recording_fill(const char *verb, int how, int field)
{
	struct wish *w;

	pthread_mutex_lock(&lock);
	w = *verb ? wish(verb, 1) : &objects;
	w->how = how;
	w->only = field;
	pthread_mutex_unlock(&lock);
}

void recording_set(const char *verb, const char *field, uint64_t value)
{
	struct wish *w;

	pthread_mutex_lock(&lock);
	w = wish(verb, 1);
	w->field = strcpy(keep(strlen(field) + 1), field);
	w->value = value;
	pthread_mutex_unlock(&lock);
}

void recording_result(const char *verb, int64_t result)
{
	struct wish *w;

	pthread_mutex_lock(&lock);
	w = wish(verb, 1);
	w->has_result = 1;
	w->result = result;
	pthread_mutex_unlock(&lock);
}

// recording_sample makes a record with a value of its own in every field and writes it down, as an object: with as many records behind
// it, in memory or in lists, as it is to have. It is 0 when there is no such record.
int recording_sample(const char *tag, int behind)
{
	const struct record *r = NULL;
	char *p, *next;

	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		if (!strcmp(records[i]->tag, tag))
			r = records[i];
	if (!r)
		return 0;
	pthread_mutex_lock(&lock);
	p = keep(r->size + (r->behind ? behind * r->behind->size : 0));
	filled = 0;
	only = -1;
	fill(r, p, OWN);
	install(r, p, (void *)r, NULL, 0);
	for (const struct field *f = r->fields; f < r->fields + r->n; f++) {
		const struct field *count = f->kind == LIST && f->count && strncmp(f->count, "<<", 2) ? named(r, f->count) : NULL;

		if (!behind || !count || f->type == r)
			continue;
		next = keep(behind * f->type->size);
		memcpy(p + f->offset, &next, sizeof next);
		memset(p + count->offset, 0, count->size);
		p[count->offset] = behind;
		for (int i = 0; i < behind; i++)
			fill(f->type, next + i * f->type->size, OWN);
	}
	if (r->behind) {
		const struct field *count = named(r, r->count), *size = named(r->behind, r->size_field);

		memset(p + count->offset, 0, count->size);
		p[count->offset] = behind;
		for (int i = 0; i < behind; i++) {
			next = p + r->size + i * r->behind->size;
			fill(r->behind, next, OWN);
			memset(next + size->offset, 0, size->size);
			next[size->offset] = r->behind->size;
		}
	}
	put("call\tsample\t0\n");
	show("made", r->tag, r, p, 0);
	pthread_mutex_unlock(&lock);
	return 1;
}

// recording_poke sets a number of an object, as the library would have by what was done with it. It is 0 when the object has no such field.
int recording_poke(const char *tag, uintptr_t object, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		for (const struct field *f = records[i]->fields; !strcmp(records[i]->tag, tag) && f < records[i]->fields + records[i]->n; f++)
			if (!strcmp(f->name, field) && f->kind <= BIG) {
				memcpy((char *)object + f->offset, &value, f->size);
				return 1;
			}
	return 0;
}

// recording_swap makes this library take two fields of a record for each other, as bindings would with a mistake in the layout.
int recording_swap(const char *tag, const char *one, const char *other)
{
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct field *a, *b;
		size_t offset;

		if (strcmp(records[i]->tag, tag))
			continue;
		a = (struct field *)named(records[i], one);
		b = (struct field *)named(records[i], other);
		offset = a->offset;
		a->offset = b->offset;
		b->offset = offset;
		return a->size == b->size;
	}
	return 0;
}

// recording_forget frees everything that was handed out, and drops what was asked for.
void recording_forget(void)
{
	struct kept *k;

	pthread_mutex_lock(&lock);
	while ((k = kept)) {
		kept = k->next;
		free(k);
	}
	wishes = NULL;
	objects.how = AS_IS;
	objects.only = -1;
	for (int i = 0; i < 2; i++)
		free(written[i].text);
	memset(written, 0, sizeof written);
	pthread_mutex_unlock(&lock);
}
