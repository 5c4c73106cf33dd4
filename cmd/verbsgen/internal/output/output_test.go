package output

import (
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

func TestWriteRefusesFilesInTheWay(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"x.gen.go": "package hand\n",
		"y.gen.go": Banner + " really\n", // begins like ours, is not
		"z.gen.go": Banner + "\nours\n",
	})
	if err := os.Mkdir(filepath.Join(dir, "d.gen.go"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("z.gen.go", filepath.Join(dir, "l.gen.go")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	_, err := Write(dir, []File{gen("x.gen.go", "1"), gen("y.gen.go", "2"), gen("z.gen.go", "3"), gen("d.gen.go", "4"), gen("l.gen.go", "5")})
	refused(t, err, diag.OutputForeign, "x.gen.go", "y.gen.go", "d.gen.go: is a folder", "l.gen.go: is a symbolic link")
	if n := len(diag.From(err)); n != 4 {
		t.Errorf("%d problems told, want 4", n)
	}
	same(t, tree(t, dir), before)
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

// TestWriteTakesBack makes the second rename fail, after the first went well.
func TestWriteTakesBack(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.gen.go": Banner + "\nold a\n"})
	files := []File{gen("a.gen.go", "new a"), gen("b.gen.go", "new b"), gen("c.gen.go", "new c")}
	now, err := survey(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "c.gen.go"), 0o777); err != nil { // after the survey: another process
		t.Fatal(err)
	}
	_, err = replace(dir, files, now)
	refused(t, err, diag.OutputWrite, "c.gen.go")
	same(t, tree(t, dir), map[string]string{"a.gen.go": Banner + "\nold a\n", "c.gen.go": "dir"})
}

// TestWriteTakesBackLeftovers makes the removal of the second leftover fail.
func TestWriteTakesBackLeftovers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"k.gen.go": Banner + "\nk\n", "l.gen.go": Banner + "\nl\n"})
	files := []File{gen("a.gen.go", "new a")}
	now, err := survey(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "l.gen.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "l.gen.go", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err = replace(dir, files, now)
	refused(t, err, diag.OutputWrite, "l.gen.go")
	same(t, tree(t, dir), map[string]string{"k.gen.go": Banner + "\nk\n", "l.gen.go": "dir"})
}

func TestFailureTakesBackTheFolder(t *testing.T) {
	top := t.TempDir()
	undo, err := makeDir(filepath.Join(top, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, tree(t, top), map[string]string{"a": "dir"})
	undo()
	same(t, tree(t, top), map[string]string{})
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

func TestCheckUpToDate(t *testing.T) {
	dir := t.TempDir()
	files := []File{gen("a.gen.go", "a")}
	if _, err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	r, err := Check(dir, files)
	if err != nil || r.Diff != "" || r.Stale != nil {
		t.Errorf("Check = %+v, %v; want nothing", r, err)
	}
	r, err = Check(filepath.Join(dir, "absent"), files)
	if err != nil || len(r.Stale) != 1 {
		t.Errorf("a missing folder: %+v, %v; want one missing file", r, err)
	}
}
