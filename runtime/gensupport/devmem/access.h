// For the C side of devmem.
#ifndef VERBSGEN_DEVMEM_ACCESS_H
#define VERBSGEN_DEVMEM_ACCESS_H

// One load or store of 4 or 8 bytes. The fence has it leave the buffers of a mapping that combines writes.
static void verbsgen_devmem_access(const uintptr_t *gate, uint64_t off, int width, int write, uint64_t *v, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	volatile void *at;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	at = (volatile void *)verbsgen_gate_object(gate);
	*code = at != NULL ? 0 : VERBSGEN_GATE_CLOSED;
	if (at != NULL) {
		at = (volatile char *)at + off;
		if (!write)
			*v = width == 8 ? *(volatile uint64_t *)at : *(volatile uint32_t *)at;
		else if (width == 8)
			*(volatile uint64_t *)at = *v;
		else
			*(volatile uint32_t *)at = (uint32_t)*v;
		verbsgen_devmem_fence();
	}
	verbsgen_gate_leave(slot);
}

#endif
