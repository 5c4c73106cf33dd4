// A libibverbs that records. decls.h includes the real verbs.h, and declares what that is too old for; tables.h describes every
// record and has one function for each function of the library, each operation of a context and each of an object. Both are
// generated from the facts. Fields are found by their names in the real header: offsets and sizes below are those of gcc.
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decls.h"

#include "show.h"
#include "make.h"
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
	return a->count ? strtoul(a->count, NULL, 10) : 1;
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
		for (uint64_t i = 0; i < many; i++) {
			char *p = (char *)a->value + i * a->type->size;

			fill(a->type, p, w->how);
			if (w->field)
				poke(a->type, p, w->field, w->value);
		}
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

// leave sets a number of a record that an argument points to, by "event.event_type", or else of the object that is the first argument.
static int leave(const struct arg *args, size_t n, const struct number *x)
{
	for (const struct arg *a = args; a < args + n; a++) {
		const size_t len = strlen(a->name);
		const char *field;

		if (a->kind != LIST || !a->out || strncmp(x->field, a->name, len))
			continue;
		field = x->field + len;
		if (*field && *field != '.')
			continue;
		if (!poke(a->type, (char *)a->value, field + (*field == '.'), x->value))
			return 0;
		show_arg("out", a, 1);
		return 1;
	}
	return n && args[0].kind == OBJECT && poke(args[0].type, (char *)args[0].value, x->field, x->value);
}

// replied takes the reply to one call. It is 0 when none was asked for.
static int replied(struct wish *w, const struct arg *args, size_t n, int64_t *result)
{
	const struct reply *r = w->replies;

	if (!r)
		return 0;
	w->replies = r->next;
	for (const struct number *x = r->numbers; x; x = x->next)
		if (!leave(args, n, x))
			abort();
	*result = r->result;
	return 1;
}

// wait_for takes one signal from the descriptor of a function that waits on one: an eventfd of the test, which counts. It returns 0 or an
// errno, EAGAIN for none on a descriptor that does not block.
static int wait_for(const char *verb, const struct arg *args)
{
	uint64_t one;

	if (strcmp(verb, "ibv_get_async_event"))
		return 0;
	return read(number(args[0].type, (char *)args[0].value, "async_fd"), &one, sizeof one) == sizeof one ? 0 : errno;
}

// record writes down a call and makes its result.
static uint64_t record(const char *verb, const struct arg *args, size_t n, enum result result, size_t size, enum kind kind, const struct record *made)
{
	static char text[64];
	static int values;
	struct wish *w;
	uint64_t v = 0;
	int64_t result_of;
	const int failed = wait_for(verb, args);

	pthread_mutex_lock(&lock);
	w = failed ? NULL : wish(verb, 0);
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
		filled = values++ % 251; // no other of these calls has the same, and none is 0
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
		v = failed ? -1 : 0;
		break;
	}
	if (w && w->has_result)
		memcpy(&v, &w->result, sizeof v);
	if (w && replied(w, args, n, &result_of))
		memcpy(&v, &result_of, sizeof v);
	put("result\t\t%llu\n", (unsigned long long)(kind == BIG ? load(&v, size, BIG) : v));
	pthread_mutex_unlock(&lock);
	if (failed)
		errno = failed;
	return v;
}

const char *recording_take(void)
{
	LOCKED;

	free(taken);
	fclose(written());
	out = NULL;
	return taken = lines;
}

void recording_fill(const char *verb, int how, int field)
{
	LOCKED;
	struct wish *w = *verb ? wish(verb, 1) : &objects;

	w->how = how;
	w->only = field;
}

void recording_set(const char *verb, const char *field, uint64_t value)
{
	LOCKED;
	struct wish *w = wish(verb, 1);

	w->field = strcpy(keep(strlen(field) + 1), field);
	w->value = value;
}

void recording_result(const char *verb, int64_t result)
{
	LOCKED;
	struct wish *w = wish(verb, 1);

	w->has_result = 1;
	w->result = result;
}

// recording_reply adds a reply to those of a verb.
void recording_reply(const char *verb, int64_t result)
{
	LOCKED;
	struct reply **last = &wish(verb, 1)->replies;

	while (*last)
		last = &(*last)->next;
	*last = keep(sizeof **last);
	(*last)->result = result;
}

// recording_leave adds a number to the last reply of a verb.
void recording_leave(const char *verb, const char *field, uint64_t value)
{
	LOCKED;
	struct reply *r = wish(verb, 1)->replies;
	struct number *x = keep(sizeof *x);

	while (r->next)
		r = r->next;
	*x = (struct number){strcpy(keep(strlen(field) + 1), field), value, r->numbers};
	r->numbers = x;
}

// recording_forget frees everything that was handed out, and drops what was asked for.
void recording_forget(void)
{
	LOCKED;
	struct kept *k;

	while ((k = kept)) {
		kept = k->next;
		free(k);
	}
	wishes = NULL;
	objects.how = AS_IS;
	objects.only = -1;
	fclose(written());
	out = NULL;
	free(lines);
	free(taken);
	taken = NULL;
}

#include "probe.h"
