// What a view adds to the requests of a stream of commands, for post_cgo.go.
#ifndef VERBSGEN_DPATH_MORE_H
#define VERBSGEN_DPATH_MORE_H

struct verbsgen_dpath_view { // View of more.go
	uintptr_t run; // int (void *object, const uint64_t *arguments, uint64_t function): 0, or -1 where the object lacks the function
	uintptr_t object;
	uint64_t failed;
};

int verbsgen_dpath_more(uintptr_t view, uintptr_t at, int64_t i);

// For generated streams of commands: adds to request i of a range, of which at has the commands.
int verbsgen_dpath_more(uintptr_t view, uintptr_t at, int64_t i)
{
	struct verbsgen_dpath_view *v = (struct verbsgen_dpath_view *)view;
	const uint64_t *command = (const uint64_t *)((const uintptr_t *)at)[i];
	int (*run)(void *, const uint64_t *, uint64_t) = (int (*)(void *, const uint64_t *, uint64_t))v->run;

	for (; command != NULL && command[0] != 0; command += command[0])
		if (run((void *)v->object, command + 2, command[1]) != 0) {
			v->failed = command[1];
			return EOPNOTSUPP;
		}
	return 0;
}

#endif
