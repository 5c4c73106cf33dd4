package emit

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSettle breaks long lines, and compares what settle makes of them with what gofmt does. Of the last lines it does not know that.
func TestSettle(t *testing.T) {
	a, b, c := strings.Repeat("a", 50), strings.Repeat("b", 60), strings.Repeat("c", 70)
	known := []string{
		"var x = f(" + a + ", " + b + ", " + c + ")",
		"var x = f(" + a + ", g(" + b + ", " + c + ", " + b + "), " + b + ", g(" + a + ", " + c + ", " + b + "))",
		"var x = T{A: " + a + ", B: " + b + ", C: " + c + ", Long: " + c + c + ", D: " + c + c + ", E: " + a + "}",
		"var x = T{A: " + a + ", B: " + b + ", C: []string{\"" + a + " " + b + " " + c + " " + a + "\", \"" + b + " " + c + "\"}, D: " + c + "}",
		"var x = T{A: \"" + a + " " + b + " " + c + "\", Long: \"" + a + " " + b + " " + c + "\", D: " + a + "}",
		"var x = T{" + a + ": U{A: " + c + c + ", Long: " + c + "}, B: " + c + c + "}",
		"var x = T{B: " + c + c + ", A: " + c + " && " + c + ", Long: " + c + c + "}",
		"var x = f(" + c + c + ", T{A: " + c + c + ", Long: " + c + c + "})",
		"var x = " + a + " && " + b + " && f(" + c + ", " + a + ", " + b + ") || " + c,
		"var x = " + a + " && " + b + " && x == 2 && f(" + c + ", " + a + ", " + b + ")",
		"var x = f(" + a + ", " + b + "&" + c + " != 0 && " + b + ", " + a + "|" + b + "|" + c + ", " + a + ")",
		"func (r *" + a + ") f(x " + b + ", y " + c + ") (z " + a + ", err error) {\n\treturn\n}",
		"func f() {\n\tif " + b + " && " + a + " && xxxxxxxxxxxxxxxx == 2 && g(" + b + ", " + c + ", " + a + ") {\n\t\treturn\n\t}\n}",
		"func f(" + a + " int, " + b + " int, " + c + " int) {}",
		"func f() {\n\tif " + a + " && " + b + " && g(" + c + ", " + a + ", " + b + ") {\n\t\treturn\n\t}\n}",
		"var x = " + a + " || " + b + " || x == 1 && " + b + " && " + c,
	}
	unknown := []string{
		"func f() (" + a + ", " + b + ") {\n\treturn " + a + ", " + b + ", " + c + "\n}",
		"var " + b + " = func() { f(" + a[:40] + ", " + b[:40] + ") }",
		"var x = f(" + a + ", \"" + b + " " + c + " " + b + "\")",
		"var x = f(" + a + ", " + b + ", " + c + ") // a comment",
		"var x = f(" + a + ", " + b + ", " + c + ", func() {\n\tg()\n})",
		"var x = " + a + " ||\n\t" + b + " && " + c + " && " + a,
		"var x = " + c + " ||\n\t" + b + " && xxxxxxxxxxxxxxx && " + c + " ||\n\ty",
		"var x = map[string]int{\"" + c + c + "\": 1, \"" + b + c + "\": 1111, \"" + a + b + "\": 1, \"" + a + c + "\": 1}",
		"var x = " + c + " || " + b + " && " + c + " && " + a,
		"var x = T{\n\t" + a + ", " + b + ", " + c + ",\n}",
		"type t struct {\n\t" + a + ", " + b + ", " + c + " int\n}",
		"var (\n\ta    = f(" + a + ", " + b + ", " + c + ")\n\tlong = 1\n)",
	}
	for i, line := range append(known, unknown...) {
		src, err := format.Source([]byte("package p\n\n" + line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, formatted := breakLines(string(src), withoutColumns)
		want, err := format.Source([]byte(got))
		if err != nil {
			t.Fatal(err)
		}
		if got == string(src) || formatted != (i < len(known)) || formatted && got != string(want) {
			t.Errorf("formatted: %v, got\n%swant\n%s", formatted, got, want)
		}
	}
}

// TestTidyFormatted lengthens the names in generated code, so that most of its lines are broken anew: the result is formatted.
func TestTidyFormatted(t *testing.T) {
	files, err := filepath.Glob("../../../../gen/verbs/*.gen*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	long := strings.NewReplacer("validate.", strings.Repeat("validate", 5)+".", "verr.", strings.Repeat("verr", 8)+".",
		"in.", strings.Repeat("in", 15)+".", "attr", strings.Repeat("attr", 6), "unsafe.", strings.Repeat("unsafe", 6)+".")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(data), "\n)\n") // the imports
		src, err := format.Source([]byte("package p\n" + long.Replace(body)))
		if err != nil {
			continue // a file without imports
		}
		got, err := tidy(src)
		if err != nil {
			t.Fatal(file, err)
		}
		want, err := format.Source(got)
		if err != nil {
			t.Fatal(file, err)
		}
		if !bytes.Equal(got, want) {
			at := 0
			for at < len(got) && at < len(want) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: gofmt makes\n%s\nof\n%s", file, want[max(0, at-400):min(at+300, len(want))], got[max(0, at-400):min(at+300, len(got))])
		}
	}
}
