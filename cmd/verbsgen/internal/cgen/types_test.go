package cgen

import (
	"strings"
	"testing"
)

// Of each C type: the declaration of x, the Go type of its values, and its alignment.
func TestTypes(t *testing.T) {
	ts := NewTypes(small(t))
	for _, tc := range []struct {
		ctype, declared, integer string
		align                    int64
	}{
		{"int", "int x", "int32", 4},
		{"unsigned long long", "unsigned long long x", "uint64", 8},
		{"size_t", "size_t x", "uint64", 8},
		{"ssize_t", "ssize_t x", "int64", 8},
		{"__be64", "__be64 x", "uint64", 8},
		{"__u16", "__u16 x", "uint16", 2},
		{"_Bool", "_Bool x", "uint8", 1},
		{"enum t_rate", "enum t_rate x", "uint32", 4},
		{"enum t_mode", "enum t_mode x", "int32", 4},
		{"enum t_wide", "enum t_wide x", "uint64", 8},
		{"enum t_speed", "enum t_speed x", "uint32", 4},
		{"double", "double x", "", 8},
		{"struct timespec", "struct timespec x", "", 8},
		{"pthread_mutex_t", "pthread_mutex_t x", "", 8},
		{"union t_id", "union t_id x", "", 8},
		{"struct t_device", "struct t_device x", "", 0},
		{"struct t_list.<anonymous 1>", "struct t_list.<anonymous 1> x", "", 4},
		{"const char *", "const char *x", "uintptr", 8},
		{"char *const *", "char *const *x", "uintptr", 8},
		{"char *const", "char *const x", "uintptr", 8},
		{"struct t_device **", "struct t_device **x", "uintptr", 8},
		{"uint32_t (*)[8]", "uint32_t (*x)[8]", "uintptr", 8},
		{"void *(*)(void)", "void *(*x)(void)", "uintptr", 8},
		{"int (*)(const char *, ...)", "int (*x)(const char *, ...)", "uintptr", 8},
		{"int (*[2])(struct t_dm *, uint8_t[6])", "int (*x[2])(struct t_dm *, uint8_t[6])", "uintptr", 8},
		{"void (*(*)(int))(char)", "void (*(*x)(int))(char)", "uintptr", 8},
		{"int (*)(void (*)(void *), void *)", "int (*x)(void (*)(void *), void *)", "uintptr", 8},
		{"const uint8_t[6]", "const uint8_t x[6]", "uint8", 1},
		{"uint32_t[4][8]", "uint32_t x[4][8]", "uint32", 4},
		{"uint8_t[]", "uint8_t x[]", "uint8", 1},
	} {
		integer, err := ts.Integer(tc.ctype)
		declared, align := declare(tc.ctype, "x"), ts.align(tc.ctype)
		if declared != tc.declared || integer != tc.integer || align != tc.align || (err == nil) == (tc.integer == "") {
			t.Errorf("%s: %s, %s, alignment %d, error %v; want %+v", tc.ctype, declared, integer, align, err, tc)
		}
		if bare := declare(tc.ctype, ""); bare != tc.ctype {
			t.Errorf("%s without a name is %s", tc.ctype, bare)
		}
	}
	if _, err := ts.Integer("lost_t"); err == nil || !strings.Contains(err.Error(), unknownType) {
		t.Errorf("a type that nothing has: %v", err)
	}
}
