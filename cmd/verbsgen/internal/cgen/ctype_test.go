package cgen

import "testing"

func TestTypeText(t *testing.T) {
	for _, tc := range []struct{ text, name, want string }{
		{"int", "x", "int x"},
		{"unsigned long long", "x", "unsigned long long x"},
		{"const void*", "x", "const void *x"},
		{"void const *", "x", "const void *x"},
		{"struct ibv_send_wr **", "bad", "struct ibv_send_wr **bad"},
		{"char *const *", "argv", "char *const *argv"},
		{"char *const", "p", "char *const p"},
		{"char *const", "", "char *const"},
		{"uint8_t[16]", "raw", "uint8_t raw[16]"},
		{"uint8_t[16]", "", "uint8_t[16]"},
		{"uint32_t[4][8]", "m", "uint32_t m[4][8]"},
		{"uint32_t (*)[8]", "row", "uint32_t (*row)[8]"},
		{"uint8_t[]", "tail", "uint8_t tail[]"},
		{"void *(*)(void)", "op", "void *(*op)(void)"},
		{"void *(*)()", "op", "void *(*op)(void)"},
		{"int (*)(const char *, ...)", "log", "int (*log)(const char *, ...)"},
		{"int (*[2])(struct a *, uint8_t[6])", "ops", "int (*ops[2])(struct a *, uint8_t[6])"},
		{"void (*(*)(int))(char)", "signal", "void (*(*signal)(int))(char)"},
		{"int (*)(void (*)(void *), void *)", "each", "int (*each)(void (*)(void *), void *)"},
		{"union ibv_gid", "", "union ibv_gid"},
		{"struct ibv_wc.<anonymous 2>", "x", "struct ibv_wc.<anonymous 2> x"},
	} {
		c, err := parseType(tc.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := c.declare(tc.name); got != tc.want {
			t.Errorf("%s named %q: %s, want %s", tc.text, tc.name, got, tc.want)
		}
	}
}

func TestTypeTextRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":             `type "": no type name`,
		"*":            `type "*": no type name`,
		"int )":        `type "int )": unexpected ")"`,
		"int[3":        `type "int[3": no ] after the array bound`,
		"int (*)(int":  `type "int (*)(int": no ) after the parameters`,
		"int (*":       `type "int (*": no ) after the pointer`,
		"int {":        `type "int {": unexpected '{'`,
		"int (*)(, a)": `type "int (*)(, a)": no type name`,
	} {
		if c, err := parseType(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, error %v; want %s", text, c, err, want)
		}
	}
}
