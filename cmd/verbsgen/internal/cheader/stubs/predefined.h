// What the compiler itself defines. The C parser needs the three __predefined names; headers test the rest.
#define __STDC__ 1
#define __STDC_VERSION__ 201112L
#define __STDC_HOSTED__ 1
#define __GNUC__ 12
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __linux__ 1
#define __linux 1
#define __unix__ 1
#define __LP64__ 1
#define _LP64 1
#define __CHAR_BIT__ 8
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __WCHAR_TYPE__ int
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __LITTLE_ENDIAN 1234
#define __BIG_ENDIAN 4321
#define __BYTE_ORDER __LITTLE_ENDIAN
#define __extension__
#define __builtin_offsetof(type, member) ((__SIZE_TYPE__)&((type *)0)->member)
// The C parser's own layouts, by which it would judge, are not those that are used.
#define _Static_assert(...) _Static_assert(1, "")
#define __FUNCTION__ __func__
#define __PRETTY_FUNCTION__ __func__

typedef __SIZE_TYPE__ __predefined_size_t;
typedef __WCHAR_TYPE__ __predefined_wchar_t;
typedef __PTRDIFF_TYPE__ __predefined_ptrdiff_t;
int __predefined_declarator;
typedef struct {
	unsigned vg_offsets[2];
	void *vg_areas[2];
} __builtin_va_list[1];
