package cheader

import (
	"os"
	"path/filepath"
	"testing"
)

func TestQualifiersOfMembers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.h")
	text := `struct b;
struct a {
	const struct b *next, *other;
	const char *name;
	char const letters[4];
	volatile const int word;
	struct { const struct b *inside; } in;
	const void *(*op)(const void *);
	struct b *const fixed;
	struct b *plain;
};
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	rel, err := Parse(Options{Header: file})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"next": "const struct b *", "other": "const struct b *", "name": "const char *", "letters": "const char[4]",
		"word": "const volatile int", "in.inside": "const struct b *", "op": "const void *(*)(const void *)",
		"fixed": "struct b *const", "plain": "struct b *",
	}
	for _, f := range rel.Records[0].Fields {
		if f.Name != "in" && f.Type != want[f.Name] {
			t.Errorf("%s: %s, want %s", f.Name, f.Type, want[f.Name])
		}
		if f.Func != nil && f.Func.Ret != "const void *" {
			t.Errorf("%s: gives %s", f.Name, f.Func.Ret)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}
