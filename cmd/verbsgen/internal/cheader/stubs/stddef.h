// offsetof is a plain expression, so that it can be recognised in the bodies of inline functions.
#ifndef VG_STDDEF_H
#define VG_STDDEF_H

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;

#define NULL ((void *)0)
#define offsetof(type, member) ((size_t)&((type *)0)->member)

#endif
