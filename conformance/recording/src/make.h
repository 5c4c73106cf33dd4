// How records are filled, and objects made.

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

// What one call returns, and the numbers that it leaves in the object that it is called with, or in records that arguments point to.
struct reply {
	int64_t result;
	struct number {
		const char *field;
		uint64_t value;
		struct number *next;
	} *numbers;
	struct reply *next;
};

// What was asked for, by verb.
static struct wish {
	const char *verb;
	int how, only, has_result;
	int64_t result;
	const char *field; // set to value besides
	uint64_t value;
	struct reply *replies; // of the next calls, in order
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

// poke sets a number or a pointer of a record by the name of its field. It is 0 when there is no such field.
static int poke(const struct record *r, char *p, const char *name, uint64_t value)
{
	for (const struct field *f = r->fields; f < r->fields + r->n; f++)
		if (!strcmp(f->name, name) && (f->kind <= BIG || f->kind == OBJECT || f->kind == POINTER)) {
			memcpy(p + f->offset, &value, f->size);
			return 1;
		}
	return 0;
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
	// The bindings look whether a queue pair has these: see lacks: of its page.
	poke(r, p, "send_cq", (uintptr_t)p);
	poke(r, p, "recv_cq", (uintptr_t)p);
	return p;
}
