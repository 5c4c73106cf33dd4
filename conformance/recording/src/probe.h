// What tests do to this library.

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
		if (!strcmp(records[i]->tag, tag))
			return poke(records[i], (char *)object, field, value);
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

// The functions of an allocator, by the types of the header.
typedef __typeof__(((struct ibv_parent_domain_init_attr *)0)->alloc) alloc_function;
typedef __typeof__(((struct ibv_parent_domain_init_attr *)0)->free) free_function;

void *recording_alloc(uintptr_t function, uintptr_t pd, uintptr_t context, size_t size, size_t alignment, uint64_t resource)
{
	return ((alloc_function)function)((struct ibv_pd *)pd, (void *)context, size, alignment, resource);
}

void recording_free(uintptr_t function, uintptr_t pd, uintptr_t context, uintptr_t memory, uint64_t resource)
{
	((free_function)function)((struct ibv_pd *)pd, (void *)context, (void *)memory, resource);
}
