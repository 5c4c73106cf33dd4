// What comes on a descriptor, as events do.

// The functions that take what came, and the field of their first argument that has the descriptor: an eventfd of the test, which counts.
static const struct {
	const char *verb, *field;
} waits[] = {
	{"ibv_get_async_event", "async_fd"},
};

// wait_for takes one signal from the descriptor of a function that waits on one. It returns 0 or an errno, EAGAIN for none on a
// descriptor that does not block.
static int wait_for(const char *verb, const struct arg *args)
{
	uint64_t one;
	int fd;

	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		if (strcmp(waits[i].verb, verb))
			continue;
		fd = number(args[0].type, (char *)args[0].value, waits[i].field);
		return read(fd, &one, sizeof one) == sizeof one ? 0 : errno;
	}
	return 0;
}
