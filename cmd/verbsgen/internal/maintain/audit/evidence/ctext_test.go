package main

import "testing"

// TestDefinitions looks for name in odd texts.
func TestDefinitions(t *testing.T) {
	for text, want := range map[string]bool{
		"int name(int a)\n{ return a; }":                                                      true,
		"static int\nname (struct a *a, int (*f)(int)) { }":                                   true,
		"int name(void) __must_hold(lock) __attribute__((cold)) {}":                           true,
		"ssize_t HANDLER(name)(struct bundle *b) {}":                                          true,
		"SYMBOL_FUNC(name, 1_1, \"V_1.1\",\n\tint,\n\tint a)\n{\n}":                           true,
		"struct name {\n\tint a;\n} __packed;":                                                true,
		"enum name { A, B };":                                                                 true,
		"union name { int a; };":                                                              true,
		"static const struct ops name = { .a = b, };":                                         true,
		"static const struct { int a; } name[A + 1][B] = { [0] = { 1 } };":                    true,
		"static int name[] __initconst = { 1 };":                                              true,
		"#define name 3":                                                                      true,
		"#define name(a) \\\n\tf(a)":                                                          true,
		"#  define name":                                                                      true,
		"int f(void) {\n#define name 3\n}":                                                    true,
		"extern \"C\" {\nint name(void) {}\n}":                                                true,
		"int f(void) {\n#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}\n}\nint name(void) {}": true,
		"int f(void) {\n#if A\nreturn 1; }\n#else\nreturn 2; }\n#endif\nint name(void) {}":    true,
		"char *s = \"{\"; char c = '{'; /* { */ // {\nint name(void) {}":                      true,
		"char c = '\\''; char *s = \"\\\"{\"; int name(void) {}":                              true,
		"#error don't {\nint name(void) {}":                                                   true,
		"int f(void);\r\nint name(void)\r\n{\r\n}\r\n":                                        true,
		"MODULE_LICENSE(\"x\")\nint name(void) {}":                                            true,

		"int name(int a);":                            false,
		"int name(int a), f(int b) {}":                false,
		"// int name(void) {}":                        false,
		"/* int name(void) {} */ int f(void) {}":      false,
		"char *s = \"int name(void) {}\";":            false,
		"int f(void) { name(a); if (name(b)) { } }":   false,
		"int f(void) {\n\tstruct name { int a; };\n}": false,
		"int a = name(b);":                            false,
		"struct name;":                                false,
		"struct name a = { 1 };":                      false,
		"static const name a = { 1 };":                false,
		"extern int name[];":                          false,
		"int f(int name) {}":                          false,
		"EXPORT_SYMBOL(name);":                        false,
		"#undef name":                                 false,
		"#define f(a) int name(a) {}":                 false,
		"name(a)\nstruct f { int a; };":               false,
		"int names(void) {} int my_name(void) {}":     false,
		"int name(":                                   false,
		"int name(void) {":                            false,
		"#define":                                     false,
		"#else\n#endif\n}} name":                      false,
		"":                                            false,
	} {
		if got := readC([]byte(text)).hash("name") != ""; got != want {
			t.Errorf("%q: found %t, want %t", text, got, want)
		}
	}
	if readC([]byte("DECLARE_METHOD(METHOD_NAME, 1, ATTR(X));")).hash("METHOD_NAME") == "" {
		t.Error("a method that a macro declares is not found")
	}
}

// TestHash compares texts with one: which of them have the same hash.
func TestHash(t *testing.T) {
	const text = "int f(void) { }\nint name(int a)\n{\n\tif (a)\n\t\treturn \"x y\";\n#if A\n\tg();\n#endif\n}\nint h(void) { }\n"
	want := readC([]byte(text)).hash("name")
	for other, same := range map[string]bool{
		"int name(int a) { if (a) return \"x y\";\n#if A\ng();\n#endif\n}":                                                        true,
		"static long name(int a) /* a { */ { // b\nif /**/ (a) return \\\n \"x y\";\n# if /* c\n */ A // d\ng();\n#endif // A\n}": true,
		"int name(int a) { if (a) return \"x  y\";\n#if A\ng();\n#endif\n}":                                                       false,
		"int name(int b) { if (a) return \"x y\";\n#if A\ng();\n#endif\n}":                                                        false,
		"int name(int a) { if (a) return \"x y\";\n#if A g();\n#endif\n}":                                                         false,
		"int name(int a) { if (!a) return \"x y\";\n#if A\ng();\n#endif\n}":                                                       false,
		text + "int name(int a) { }": false,
	} {
		if got := readC([]byte(other)).hash("name"); got == "" || (got == want) != same {
			t.Errorf("%q: hash %q beside %q, want same: %t", other, got, want, same)
		}
	}
}

// FuzzDefinitions looks for a name in any text.
func FuzzDefinitions(f *testing.F) {
	f.Add("#if A\n}{#else\n\"'/*name({[(=")
	f.Add("extern \"C\" { name(a)[] = { ; }")
	f.Fuzz(func(t *testing.T, text string) { readC([]byte(text)).hash("name") })
}
