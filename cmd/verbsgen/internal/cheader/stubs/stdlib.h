#ifndef VG_STDLIB_H
#define VG_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *p);

#endif
