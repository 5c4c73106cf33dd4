package cgen

import (
	"fmt"
	"strings"
	"testing"
)

// brief writes a Type in few characters.
func brief(t Type) string {
	s := fmt.Sprintf("%s %d/%d", t.Kind, t.Size, t.Align)
	if t.Signed {
		s += " signed"
	}
	if t.BigEndian {
		s += " be"
	}
	if t.Const {
		s += " const"
	}
	if t.Name != "" {
		s += " " + t.Name
	}
	if t.Kind == Array {
		s += fmt.Sprintf(" x%d", t.Len)
	}
	if t.Elem != nil {
		s += " of (" + brief(*t.Elem) + ")"
	}
	return s
}

func TestClassify(t *testing.T) {
	rel := small()
	for ctype, want := range map[string]string{
		"void":                 "void 0/0 void",
		"_Bool":                "bool 1/1 _Bool",
		"int":                  "int 4/4 signed int",
		"unsigned int":         "int 4/4 unsigned int",
		"size_t":               "int 8/8 size_t",
		"ssize_t":              "int 8/8 signed ssize_t",
		"uint8_t":              "int 1/1 uint8_t",
		"__be64":               "int 8/8 be __be64",
		"__u16":                "int 2/2 __u16",
		"double":               "float 8/8 double",
		"const char *":         "pointer 8/8 of (int 1/1 signed const char)",
		"char *const":          "pointer 8/8 const of (int 1/1 signed char)",
		"void *":               "pointer 8/8 of (void 0/0 void)",
		"void *(*)(int, char)": "func 8/8",
		"void *(**)(void)":     "pointer 8/8 of (func 8/8)",
		"char[64]":             "array 64/1 x64 of (int 1/1 signed char)",
		"uint8_t[16]":          "array 16/1 x16 of (int 1/1 uint8_t)",
		"uint32_t[2][3]":       "array 24/4 x2 of (array 12/4 x3 of (int 4/4 uint32_t))",
		"uint8_t[]":            "array 0/1 x-1 of (int 1/1 uint8_t)",
		"enum t_rate":          "enum 4/4 enum t_rate",
		"enum t_mode":          "enum 4/4 signed enum t_mode",
		"enum t_speed":         "enum 4/4 enum t_speed",
		"struct timespec":      "struct 16/8 struct timespec",
		"pthread_mutex_t":      "struct 40/8 pthread_mutex_t",
		"union t_gid":          "struct 16/8 union t_gid",
		"union t_id":           "struct 16/8 union t_id",
		"struct t_device":      "struct 0/0 struct t_device",
		"struct t_device **":   "pointer 8/8 of (pointer 8/8 of (struct 0/0 struct t_device))",
		"struct t_private *":   "pointer 8/8 of (struct 0/0 struct t_private)",
	} {
		got, err := Classify(rel, ctype)
		if err != nil {
			t.Error(err)
			continue
		}
		if brief(got) != want {
			t.Errorf("%s: %s, want %s", ctype, brief(got), want)
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
			t.Errorf("%s: %s, error %v, want %s", ctype, brief(got), err, want)
		}
	}
}

func TestShim(t *testing.T) {
	rel := small()
	for _, tc := range []struct{ ctype, goInt, fixed, ofC, ofGo, result string }{
		{"void", "", "", "", "", "void"},
		{"int", "int32", "int32_t", "int32_t", "int32_t", "int32_t"},
		{"unsigned int", "uint32", "uint32_t", "uint32_t", "uint32_t", "uint32_t"},
		{"size_t", "uint64", "uint64_t", "uint64_t", "uint64_t", "uint64_t"},
		{"ssize_t", "int64", "int64_t", "int64_t", "int64_t", "int64_t"},
		{"__be64", "uint64", "uint64_t", "uint64_t", "uint64_t", "uint64_t"},
		{"_Bool", "uint8", "uint8_t", "uint8_t", "uint8_t", "uint8_t"},
		{"double", "", "", "double", "double", "double"},
		{"enum t_rate", "uint32", "uint32_t", "uint32_t", "uint32_t", "uint32_t"},
		{"enum t_mode", "int32", "int32_t", "int32_t", "int32_t", "int32_t"},
		{"const char *", "", "", "uintptr_t", "const uint8_t *", "void *"},
		{"void *", "", "", "uintptr_t", "uint8_t *", "void *"},
		{"struct t_dm *", "", "", "uintptr_t", "uint8_t *", "void *"},
		{"void *(*)(size_t)", "", "", "uintptr_t", "uintptr_t", "void *"},
		{"struct timespec", "", "", "uintptr_t", "const uint8_t *", ""},
		{"const uint8_t[6]", "", "", "uintptr_t", "const uint8_t *", ""},
		{"uint8_t[6]", "", "", "uintptr_t", "uint8_t *", ""},
	} {
		c, err := Classify(rel, tc.ctype)
		if err != nil {
			t.Error(err)
			continue
		}
		for what, pair := range map[string][2]string{
			"GoInt": {c.GoInt(), tc.goInt}, "FixedInt": {c.FixedInt(), tc.fixed}, "result": {c.ShimResult(), tc.result},
			"parameter of C": {c.ShimParam(OfC), tc.ofC}, "parameter of Go": {c.ShimParam(OfGo), tc.ofGo},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s %q, want %q", tc.ctype, what, pair[0], pair[1])
			}
		}
	}
}
