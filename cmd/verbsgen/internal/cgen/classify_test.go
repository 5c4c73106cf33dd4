package cgen

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	rel := small()
	for _, tc := range []struct {
		ctype               string
		align               int64
		ofC, ofGo, returned string
	}{
		{"void", 0, "", "", "void"},
		{"int", 4, "int32_t", "int32_t", "int32_t"},
		{"unsigned int", 4, "uint32_t", "uint32_t", "uint32_t"},
		{"size_t", 8, "uint64_t", "uint64_t", "uint64_t"},
		{"ssize_t", 8, "int64_t", "int64_t", "int64_t"},
		{"__be64", 8, "uint64_t", "uint64_t", "uint64_t"},
		{"__u16", 2, "uint16_t", "uint16_t", "uint16_t"},
		{"_Bool", 1, "uint8_t", "uint8_t", "uint8_t"},
		{"double", 8, "double", "double", "double"},
		{"enum t_rate", 4, "uint32_t", "uint32_t", "uint32_t"},
		{"enum t_mode", 4, "int32_t", "int32_t", "int32_t"},
		{"enum t_speed", 4, "uint32_t", "uint32_t", "uint32_t"},
		{"const char *", 8, "uintptr_t", "const uint8_t *", "void *"},
		{"char *const", 8, "uintptr_t", "uint8_t *", "void *"},
		{"void *", 8, "uintptr_t", "uint8_t *", "void *"},
		{"struct t_dm *", 8, "uintptr_t", "uint8_t *", "void *"},
		{"struct t_private *", 8, "uintptr_t", "uint8_t *", "void *"},
		{"struct t_device **", 8, "uintptr_t", "uint8_t *", "void *"},
		{"void *(*)(size_t)", 8, "uintptr_t", "uintptr_t", "void *"},
		{"void *(**)(void)", 8, "uintptr_t", "uint8_t *", "void *"},
		{"struct timespec", 8, "uintptr_t", "const uint8_t *", ""},
		{"pthread_mutex_t", 8, "uintptr_t", "const uint8_t *", ""},
		{"union t_gid", 8, "uintptr_t", "const uint8_t *", ""},
		{"union t_id", 8, "uintptr_t", "const uint8_t *", ""},
		{"struct t_device", 0, "uintptr_t", "const uint8_t *", ""},
		{"const uint8_t[6]", 1, "uintptr_t", "const uint8_t *", ""},
		{"uint8_t[6]", 1, "uintptr_t", "uint8_t *", ""},
		{"uint8_t[]", 1, "uintptr_t", "uint8_t *", ""},
		{"uint32_t[2][3]", 4, "uintptr_t", "uint8_t *", ""},
	} {
		c, err := Classify(rel, tc.ctype)
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Align != tc.align || c.ShimParam(false) != tc.ofC || c.ShimParam(true) != tc.ofGo || c.ShimResult() != tc.returned {
			t.Errorf("%s: alignment %d, parameter %q or %q, result %q; want %+v", tc.ctype, c.Align, c.ShimParam(false), c.ShimParam(true),
				c.ShimResult(), tc)
		}
	}
}

func TestClassifyRefuses(t *testing.T) {
	for ctype, want := range map[string]string{
		"lost_t":        "neither the facts nor libc have it",
		"enum t_lost *": "neither the facts nor libc have it",
		"int (int)":     "a function is no type of a value",
		"int[N]":        `array bound "N" is no number`,
		"int (*":        "no ) after the pointer",
	} {
		if got, err := Classify(small(), ctype); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v, want %s", ctype, got, err, want)
		}
	}
}
