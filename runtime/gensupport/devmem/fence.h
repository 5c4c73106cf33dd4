// For the C side of devmem.
#ifndef VERBSGEN_DEVMEM_FENCE_H
#define VERBSGEN_DEVMEM_FENCE_H

static inline void verbsgen_devmem_fence(void)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb st" ::: "memory");
#elif defined(__x86_64__)
	__asm__ volatile("sfence" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

#endif
