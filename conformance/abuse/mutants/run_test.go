package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is a small module of its own: a test holds Twice and not Half; End does not end where < is not the condition.
var module = map[string]string{
	"go.mod": "module example.com/small\n\ngo 1.26\n",
	"small.go": `package small

func Twice(n int) int { return n + n }

func Half(n int) int { return n / 2 }

func Name(a, b string) string { return a + b }
`,
	"small_test.go": `package small

import "testing"

func TestTwice(t *testing.T) {
	if Twice(3) != 6 {
		t.Error("not twice")
	}
	if Name("a", "b") != "ab" {
		t.Error("not a name")
	}
}
`,
}

func small(t *testing.T) *tree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	source := t.TempDir()
	for name, text := range module {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := output(source, "git", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	tr, err := newTree(source, filepath.Join(t.TempDir(), "tree"))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestJudged makes a mutant that a test notices, one that none does, and one that does not compile.
func TestJudged(t *testing.T) {
	tr := small(t)
	text := module["small.go"]
	a := area{name: "small", tests: []string{"test ./..."}}
	r := &runner{tree: tr, base: map[string]duration{}}
	for _, c := range []struct{ old, new, want, by string }{
		{"n + n", "n - n", killed, "go test ./..."},
		{"n / 2", "n * 2", survived, ""},
		{"a + b", "a - b", invalid, "go build ./."},
	} {
		res, err := r.run(a, newMutant("small.go", text, strings.Index(text, c.old), c.old, c.new, "arithmetic"))
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != c.want || res.By != c.by {
			t.Errorf("%s to %s: %s %q, want %s %q", c.old, c.new, res.Status, res.By, c.want, c.by)
		}
		if now, err := os.ReadFile(filepath.Join(tr.root, "small.go")); err != nil || string(now) != text {
			t.Errorf("%s to %s is left behind: %v", c.old, c.new, err)
		}
		if now, err := os.ReadFile(filepath.Join(tr.source, "small.go")); err != nil || string(now) != text {
			t.Errorf("%s to %s reached the source: %v", c.old, c.new, err)
		}
	}
}

// TestBrokenBefore runs a test that fails without a mutant: nothing is judged by it.
func TestBrokenBefore(t *testing.T) {
	tr := small(t)
	r := &runner{tree: tr, base: map[string]duration{}}
	text := module["small.go"]
	m := newMutant("small.go", text, strings.Index(text, "n / 2"), "n / 2", "n", "arithmetic")
	if _, err := r.run(area{tests: []string{"test ./absent"}}, m); err == nil ||
		!strings.Contains(err.Error(), "without a mutant: go test ./absent fails") {
		t.Error(err)
	}
}

// TestRestore changes the copy, adds to it and takes from it.
func TestRestore(t *testing.T) {
	tr := small(t)
	if err := tr.write("small.go", "package other\n"); err != nil {
		t.Fatal(err)
	}
	if err := tr.write("more.go", "package other\n"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(tr.root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if err := tr.restore(""); err != nil {
		t.Fatal(err)
	}
	for name, text := range module {
		if now, err := os.ReadFile(filepath.Join(tr.root, name)); err != nil || string(now) != text {
			t.Errorf("%s: %q, %v", name, now, err)
		}
	}
	if _, err := os.Stat(filepath.Join(tr.root, "more.go")); err == nil {
		t.Error("a file that the source lacks is still there")
	}
}

// TestModuleOf finds the module that gremlins is to look at.
func TestModuleOf(t *testing.T) {
	tr := small(t)
	if err := os.MkdirAll(filepath.Join(tr.root, "cmd/a/internal/b"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := tr.write("cmd/a/go.mod", "module small/cmd/a\n"); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string][2]string{"cmd/a/internal/b": {"cmd/a", "internal/b"}, "cmd/a": {"cmd/a", ""},
		"other/b": {"", "other/b"}} {
		if module, in := tr.moduleOf(dir); module != filepath.Join(tr.root, want[0]) || in != want[1] {
			t.Errorf("%s: %s in %s", dir, in, module)
		}
	}
}

// TestResults keeps results over two runs, until the file changes.
func TestResults(t *testing.T) {
	at := filepath.Join(t.TempDir(), "of", "results.jsonl")
	text := module["small.go"]
	m := newMutant("small.go", text, strings.Index(text, "+"), "+", "-", "arithmetic")
	m.area = "small"
	one, err := openResults(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{survived, killed} {
		if err := one.add(result{ID: m.id(), Area: "small", Sum: m.sum, Status: status}); err != nil {
			t.Fatal(err)
		}
	}
	one.close()
	two, err := openResults(at)
	if err != nil {
		t.Fatal(err)
	}
	defer two.close()
	if res, kept := two.of(m); !kept || res.Status != killed || len(two.all()) != 1 {
		t.Errorf("%+v, %v of %d", res, kept, len(two.all()))
	}
	changed := newMutant("small.go", text+"\n", m.at, "+", "-", "arithmetic")
	if _, kept := two.of(changed); kept {
		t.Error("a result of another text is kept")
	}
	if two.keepOnly("other", nil); len(two.all()) != 1 {
		t.Error("results of another area are forgotten")
	}
	if two.keepOnly("small", []mutant{changed}); len(two.all()) != 0 {
		t.Error("a result of another text is counted")
	}
}
