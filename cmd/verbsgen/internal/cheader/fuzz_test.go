package cheader

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// FuzzParse reads any text as a header: a result or an error, and what is in it holds together.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds: ", err)
	}
	for _, file := range files {
		ar := must(txtar.ParseFile(file))(f)
		for _, part := range ar.Files {
			if part.Name == "own/in.h" && len(part.Data) < 1000 {
				f.Add(part.Data)
			}
		}
	}
	for _, text := range []string{"", "#include \"in.h\"\nint a;", "struct a { struct a x; };", "struct a { struct a; };",
		"int f(void);\n'x\\", "int f(void){return ({1;});}", "#define A A\nint x[A];", "enum {X=1<<99};",
		"static inline int f(int a) { return a ?: ({ int b = a; b; }); }", "typedef int t; t t; struct { t t; } *(*p)[3];"} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	patience = 4 * time.Second // less than the fuzzer has
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, "in.h")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		rel, err := Parse(Options{Header: file, As: "in.h"})
		if (rel == nil) == (err == nil) {
			t.Fatalf("result %v and error %v", rel, err)
		}
		if err != nil {
			walkErrors(t, err)
			return
		}
		walk(t, rel)
	})
}

// TestPatience has the C parser take longer than it may.
func TestPatience(t *testing.T) {
	patience = 0
	defer func() { patience = 30 * time.Second }()
	_, err := Parse(Options{Header: write(t, strings.Repeat("int f(void);\n", 20_000))})
	if err == nil || !strings.Contains(err.Error(), "has not come to an end") {
		t.Errorf("%v", err)
	}
}

// walkErrors looks whether each error has a place, a code and words.
func walkErrors(t *testing.T, err error) {
	var list diag.List
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("error is a %T: %v", err, err)
	}
	for _, d := range list {
		if d.Code == diag.Internal || d.File == "" || d.Subject == "" || d.Problem == "" || d.Fix == "" {
			t.Errorf("%#v", d)
		}
	}
}

// walk looks whether the facts hold together, and survive as JSON.
func walk(t *testing.T, rel *api.Release) {
	names := map[string]bool{}
	once := func(kind, name string) {
		if name == "" || names[kind+name] {
			t.Errorf("%s %q is listed twice or has no name", kind, name)
		}
		names[kind+name] = true
	}
	for _, f := range rel.Functions {
		once("function", f.Name)
		if f.Ret == "" || (f.Dispatch != nil && f.Dispatch.Hash == "") || f.Redirect != "" && f.Kind != api.Redirect {
			t.Errorf("%+v", f)
		}
		for _, p := range f.Params {
			if p.Type == "" {
				t.Errorf("%s: parameter %s without a type", f.Name, p.Name)
			}
		}
	}
	for _, r := range rel.Records {
		once("record", r.Tag)
		if r.ARM64 != nil && (len(r.ARM64.Offsets) != len(r.Fields) || len(r.ARM64.Sizes) != len(r.Fields)) {
			t.Errorf("%s: arm64 layout of other fields", r.Tag)
		}
		for _, m := range r.Fields {
			if m.Type == "" || m.Offset < 0 || m.Size < 0 || m.BitSize == nil && m.Offset+m.Size > r.Size {
				t.Errorf("%s of %d bytes: %+v", r.Tag, r.Size, m)
			}
		}
	}
	for _, e := range rel.Enums {
		once("enum", e.Tag)
	}
	for _, m := range rel.Macros {
		once("macro", m.Name)
	}
	data := must(api.Marshal(rel))(t)
	again, err := api.Unmarshal(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	second, err := api.Marshal(again)
	if err != nil || !bytes.Equal(data, second) {
		t.Errorf("JSON changes on the way back (%v):\n%s\n%s", err, data, second)
	}
}
