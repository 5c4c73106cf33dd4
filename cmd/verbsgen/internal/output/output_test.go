package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// gen makes a generated file.
func gen(name, body string) File { return File{name, []byte(Banner + "\n" + body + "\n")} }

// put writes files under dir; content without the banner is hand-written.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tree reads a folder: name to content, "dir" for folders.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			got[e.Name()] = "dir"
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(data)
	}
	return got
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, w := range want {
		if g, ok := got[name]; !ok || g != w {
			t.Errorf("%s: got %q (there: %v), want %q", name, g, ok, w)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

// refused checks that err is a list with the code and that its text has each part.
func refused(t *testing.T, err error, code diag.Code, parts ...string) {
	t.Helper()
	l := diag.From(err)
	if len(l) == 0 {
		t.Fatal("no error")
	}
	for _, d := range l {
		if d.Code != code {
			t.Errorf("code %s, want %s: %v", d.Code, code, d)
		}
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

func TestWriteIntoNewFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	res, err := Write(dir, []File{gen("x.gen.go", "x"), gen("y.h", "y")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := res.Summary(), "2 files written, 0 unchanged"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	same(t, tree(t, dir), map[string]string{"x.gen.go": Banner + "\nx\n", "y.h": Banner + "\ny\n"})
	info, err := os.Stat(filepath.Join(dir, "x.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o400 == 0 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestWriteLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"hand.go":     "package p\n",
		"hand.gen.go": "// not ours\npackage p\n", // our form of name, not our first line
		"old.gen.go":  Banner + "\nold\n",
		"old.gen.c":   Banner + "\nold\n",
		"copy.go":     Banner + "\ncopied by hand under a name that we never use\n",
		"x.gen.go":    Banner + "\nbefore\n",
		"y.gen.go":    Banner + "\nsame\n",
	})
	res, err := Write(dir, []File{gen("x.gen.go", "after"), gen("y.gen.go", "same")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := res.Summary(), "1 file written, 1 unchanged, 2 removed (old.gen.c, old.gen.go)"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	same(t, tree(t, dir), map[string]string{
		"hand.go":     "package p\n",
		"hand.gen.go": "// not ours\npackage p\n",
		"copy.go":     Banner + "\ncopied by hand under a name that we never use\n",
		"x.gen.go":    Banner + "\nafter\n",
		"y.gen.go":    Banner + "\nsame\n",
	})
}

func TestWriteBelowAFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"file": "x"})
	for _, to := range []string{"file", "file/sub", "file/sub/sub"} {
		_, err := Write(filepath.Join(dir, to), []File{gen("x.gen.go", "1")})
		refused(t, err, diag.OutputWrite, "not a directory", "-o")
	}
	same(t, tree(t, dir), map[string]string{"file": "x"})
}

// TestWriteFails makes a rename fail, and then the removal of a leftover, after others went well: what is there does not compile, and the
// next run mends it.
func TestWriteFails(t *testing.T) {
	for _, blocked := range []string{"b.gen.go", "l.gen.go"} {
		dir := t.TempDir()
		put(t, dir, map[string]string{"a.gen.go": Banner + "\nold a\n", "k.gen.go": Banner + "\nk\n", "l.gen.go": Banner + "\nl\n"})
		files := []File{gen("a.gen.go", "new a"), gen("b.gen.go", "new b")}
		now, err := survey(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, blocked)
		if err := errors.Join(os.RemoveAll(at), os.MkdirAll(filepath.Join(at, "sub"), 0o777)); err != nil { // by another process
			t.Fatal(err)
		}
		_, err = replace(dir, files, now)
		refused(t, err, diag.OutputWrite, blocked)
		if got := tree(t, dir); got[unfinished] == "" || got[staging] != "" {
			t.Errorf("%s: left are %v", blocked, got)
		}
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(dir, files); err != nil {
			t.Fatal(err)
		}
		same(t, tree(t, dir), map[string]string{"a.gen.go": Banner + "\nnew a\n", "b.gen.go": Banner + "\nnew b\n"})
	}
}

func TestBadEmitter(t *testing.T) {
	for name, files := range map[string][]File{
		"folder":    {gen("../x.gen.go", "x")},
		"no name":   {gen("", "x")},
		"hidden":    {gen(".x.gen.go", "x")},
		"twice":     {gen("x.gen.go", "x"), gen("x.gen.go", "y")},
		"no banner": {{Name: "x.gen.go", Data: []byte("package x\n")}},
	} {
		dir := t.TempDir()
		if _, err := Write(dir, files); err == nil {
			t.Errorf("%s: no error", name)
		}
		same(t, tree(t, dir), map[string]string{})
	}
}
