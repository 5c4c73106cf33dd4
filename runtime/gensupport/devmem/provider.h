// What the C side of devmem finds out about the provider of a device memory. It decides nothing: that is done in Go.
#ifndef VERBSGEN_DEVMEM_PROVIDER_H
#define VERBSGEN_DEVMEM_PROVIDER_H

#include <stdint.h>

// Where in the process an address lies.
struct verbsgen_devmem_place {
	uintptr_t addr;
	uintptr_t object; // load address of the object around it; meaningful when found is set
	int found;        // lies in a loaded object
	int code;         // and there in a segment that may be executed
	char name[512];   // path of the object, empty for the main program
};

struct verbsgen_devmem_facts {
	int has_context; // the object names a context of the extended layout
	struct verbsgen_devmem_place op;   // the op alloc_dm of the context; addr 0 when there is none
	struct verbsgen_devmem_place to;   // callback memcpy_to_dm; addr 0 when NULL
	struct verbsgen_devmem_place from; // callback memcpy_from_dm; addr 0 when NULL
	int mana; // the object of the op exports what only MANA's provider exports
};

struct verbsgen_devmem_mapping {
	int resolved; // 12 or 10 for the version of mlx5dv_init_obj that was called, 0 when there is none
	int code;     // what it returned
	void *base;   // first byte of the device memory in this process, or NULL
	uint64_t length;
};

// Neither takes ownership of anything; dm is a live struct ibv_dm *.
void verbsgen_devmem_inspect(uintptr_t dm, struct verbsgen_devmem_facts *out);

// Asks the object that holds the op alloc_dm where the device memory is mapped. Only to be called when the callbacks are
// known to be that object's own.
void verbsgen_devmem_map(uintptr_t dm, const struct verbsgen_devmem_place *op, struct verbsgen_devmem_mapping *out);

#endif
