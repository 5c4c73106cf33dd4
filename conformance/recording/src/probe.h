// What tests do to this library.

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
