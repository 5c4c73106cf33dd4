// Streams of the C library, of which only pointers occur.
#ifndef VG_STDIO_H
#define VG_STDIO_H

#include <stddef.h>

typedef struct _IO_FILE FILE;

extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;

#endif
