package cheader

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// TestGolden reads each testdata/*.txtar: own/in.h is the header, "want" what is read from it, or the errors. Lines of the
// comment that begin with "include:" name folders of -I.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files: ", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { golden(t, file, strings.HasPrefix(name, "bad_")) })
	}
}

func golden(t *testing.T, file string, bad bool) {
	ar := must(txtar.ParseFile(file))(t)
	opts, want, at := unpack(t, ar)
	rel, err := Parse(opts)
	if (err != nil) != bad {
		t.Fatalf("error %v, and the name of the file says bad: %v", err, bad)
	}
	got := text(t, rel, err, filepath.Dir(filepath.Dir(opts.Header)))
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	if at < 0 {
		at = len(ar.Files)
		ar.Files = append(ar.Files, txtar.File{Name: "want"})
	}
	ar.Files[at].Data = []byte(got)
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unpack writes the files of an archive into a folder, and gives the expected result and its index.
func unpack(t *testing.T, ar *txtar.Archive) (opts Options, want string, at int) {
	dir := t.TempDir()
	at = -1
	for i, f := range ar.Files {
		if f.Name == "want" {
			want, at = string(f.Data), i
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opts = Options{Header: filepath.Join(dir, "own/in.h"), As: "own/in.h"}
	for line := range strings.Lines(string(ar.Comment)) {
		key, val, _ := strings.Cut(line, ":")
		if key != "include" {
			continue
		}
		for _, folder := range strings.Fields(val) {
			opts.Include = append(opts.Include, filepath.Join(dir, folder))
		}
	}
	return opts, want, at
}

// text is what Parse gave, with paths from dir.
func text(t *testing.T, rel *api.Release, err error, dir string) string {
	if err != nil {
		if rel != nil {
			t.Error("a result and an error")
		}
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("error is a %T", err)
		}
		return strings.ReplaceAll(err.Error()+"\n", dir+string(filepath.Separator), "")
	}
	data := must(api.Marshal(rel))(t)
	if bytes.Contains(data, []byte(dir)) {
		t.Errorf("the facts hold a path of this machine")
	}
	return string(data)
}
