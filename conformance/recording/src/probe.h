// What tests do to this library.

// recording_poke sets a number of an object, as the library would have by what was done with it. It is 0 when the object has no such field.
uintptr_t recording_poke(const char *tag, const char *field, uintptr_t object, uint64_t value)
{
	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		if (!strcmp(records[i]->tag, tag))
			return poke(records[i], (char *)object, field, value);
	return 0;
}

// recording_swap makes this library take two fields of a record for each other, as bindings would with a mistake in the layout.
uintptr_t recording_swap(const char *tag, const char *one, const char *other)
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
