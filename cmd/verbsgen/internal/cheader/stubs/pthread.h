// Only the sizes and the alignment of these objects matter. glibc's mutex is larger on arm64.
#ifndef VG_PTHREAD_H
#define VG_PTHREAD_H

#include <time.h>

typedef union {
#ifdef __aarch64__
	char vg_bytes[48];
#else
	char vg_bytes[40];
#endif
	long vg_align;
} pthread_mutex_t;

typedef union {
	char vg_bytes[48];
	long long vg_align;
} pthread_cond_t;

typedef union {
	char vg_bytes[4];
	int vg_align;
} pthread_mutexattr_t, pthread_condattr_t;

typedef unsigned long pthread_t;

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int pthread_cond_destroy(pthread_cond_t *cond);

#endif
