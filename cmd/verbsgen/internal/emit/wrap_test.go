package emit

import (
	"strings"
	"testing"
)

// TestTidy breaks long lines and groups imports; what it makes is formatted.
func TestTidy(t *testing.T) {
	a, b := strings.Repeat("a", 60), strings.Repeat("b", 70)
	for _, c := range []struct{ name, in, want string }{
		{"short", "package p\n\nvar x = 1\n", "package p\n\nvar x = 1\n"},
		{"imports", "package p\n\nimport (\n\t\"fmt\"\n\tv \"example.com/v\"\n\t\"strings\"\n)\n\nvar x = 1\n",
			"package p\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\n\tv \"example.com/v\"\n)\n\nvar x = 1\n"},
		{"only own imports", "package p\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n)\n",
			"package p\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n)\n"},
		{"outermost", "package p\n\nvar x = " + a + " && f(1, 2) || f(" + b + ", 3)\n",
			"package p\n\nvar x = " + a + " && f(1, 2) ||\n\tf(" + b + ", 3)\n"},
		{"arguments", "package p\n\nfunc f(" + a + " int, " + b + " int, c int) {\n}\n",
			"package p\n\nfunc f(" + a + " int,\n\t" + b + " int, c int) {\n}\n"},
		{"text", "package p\n\nvar x = \"" + a + " " + b + " , " + b + "\"\n",
			"package p\n\nvar x = \"" + a + " \" +\n\t\"" + b + " , \" +\n\t\"" + b + "\"\n"},
		{"no place", "package p\n\nvar " + a + b + a + " = 1 // a, b\n", "package p\n\nvar " + a + b + a + " = 1 // a, b\n"},
	} {
		got, err := tidy([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", c.name, err, got, c.want)
		}
	}
}
