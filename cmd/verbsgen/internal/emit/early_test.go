package emit

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpaced shows that spaced writes lines as gofmt does: each line of the generated package that it takes comes out as it is.
func TestSpaced(t *testing.T) {
	files, err := filepath.Glob("../../../../gen/verbs/*.gen*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	taken := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "  ") || strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") { // aligned, or not taken
				continue
			}
			if got := spaced(line); got != "" {
				taken++
				if got != line {
					t.Errorf("%s:\n%s\ncomes out as\n%s", file, line, got)
				}
			}
		}
	}
	if taken < 1000 {
		t.Errorf("spaced takes only %d lines", taken)
	}
}

// TestBreakEarly shows that a long line of a table is broken before formatting, so that tidy has nothing left to do.
func TestBreakEarly(t *testing.T) {
	long := strings.Repeat("word ", 20)
	src := []byte(`package p

var (
a=T{X:"` + long + `",Y:"` + long + `",Z:func(v uint64)string{return f(v)}}
)
`)
	got, err := format.Source(breakEarly(src))
	if err != nil {
		t.Fatal(err)
	}
	want := `package p

var (
	a = T{X: "` + long + `",
		Y: "` + long + `",
		Z: func(v uint64) string { return f(v) }}
)
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if again, err := tidy(got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("tidy changes it to\n%s%v", again, err)
	}
}
