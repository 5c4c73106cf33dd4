package cheader

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// write makes a header with a text in a folder of its own.
func write(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.h")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestUnreadable has what a txtar file cannot hold.
func TestUnreadable(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ name, file, code, want string }{
		{"absent", filepath.Join(folder, "absent.h"), diag.HeaderRead,
			": header: cannot be read: no such file or directory; name an existing header, or use --release"},
		{"empty", write(t, ""), diag.HeaderEmpty, ":1:1: header: is empty; install it again (libibverbs-dev)"},
		{"blank", write(t, " \n\t\n"), diag.HeaderEmpty, ":1:1: header: is empty; install it again (libibverbs-dev)"},
		{"Latin-1", write(t, "/* caf\xe9 */\nint a;\n"), diag.HeaderNotUTF8, ":1:7: header: byte 0xe9 is not UTF-8; convert the header to UTF-8"},
		{"cut inside a rune", write(t, "int a;\n// caf\xc3"), diag.HeaderNotUTF8,
			":2:7: header: byte 0xc3 is not UTF-8; convert the header to UTF-8"},
		{"open comment", write(t, "int f(void);\n/* and"), diag.HeaderSyntax,
			":2:1: header: comment not terminated; the file ends too early: install it again"},
		{"open condition", write(t, "#if 1\nint f(void);\n"), diag.HeaderSyntax,
			":2:14: header: expected #endif; the file ends too early: install it again"},
		{"error directive", write(t, "#error not here\n"), diag.HeaderSyntax,
			":1:2: error: not here; the header must be C that a compiler accepts"},
		{"enum twice", write(t, "enum e { A };\nenum e { A };\n"), diag.HeaderSyntax,
			":2:6: enum e: redefinition of the enum; the header must be C that a compiler accepts"},
		{"deep", write(t, "int a["+strings.Repeat("(", 300)), diag.HeaderSyntax,
			":1:206: header: brackets are nested more than 200 deep; name a C header"},
		{"huge", write(t, strings.Repeat("int a;\n", maxSize/7+1)), diag.HeaderRead,
			": header: cannot be read: it is larger than 16 MiB; name an existing header, or use --release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rel, err := Parse(Options{Header: c.file})
			var list diag.List
			if rel != nil || !errors.As(err, &list) {
				t.Fatalf("got %v, %v", rel, err)
			}
			if got := err.Error(); got != c.file+c.want {
				t.Errorf("told %q, want %q", got, c.file+c.want)
			}
			if list[0].Code != c.code {
				t.Errorf("code %s, want %s", list[0].Code, c.code)
			}
		})
	}
}

// TestEndless: what expands without end is told, within a second or so.
func TestEndless(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("#define A0 1\n")
	for i := range 40 {
		fmt.Fprintf(&bomb, "#define A%d A%d + A%d\n", i+1, i, i)
	}
	self := write(t, "#include \"in.h\"\nint a;\n")
	for file, want := range map[string]string{
		write(t, bomb.String()+"int a[A40];\n"): ":42:7: A40: " + endless,
		write(t, bomb.String()+"int a;\n"):      ":13:9: A12: " + endless,
		self:                                    ":1:1: in.h: the header includes itself; remove",
		// a guarded include of itself is not what is wrong
		write(t, "#ifndef G\n#define G\n#include \"in.h\"\n"+bomb.String()+"int a[A40];\n#endif\n"): ":45:7: A40: " + endless,
		write(t, "#define B B + A\n#define A B\nint a;\nint f(A);\n"):                               ":4:7: A: unexpected '+'",
	} {
		rel, err := Parse(Options{Header: file})
		if err == nil {
			t.Errorf("took %d macros", len(rel.Macros))
		} else if !strings.HasPrefix(err.Error(), file+want) {
			t.Errorf("told %q, want %q", err, file+want)
		}
	}
}

// TestPositions looks at the two ways to name files.
func TestPositions(t *testing.T) {
	file := write(t, "int f(void);\n")
	for as, want := range map[string]string{"": file, "own/in.h": "own/in.h"} {
		rel := must(Parse(Options{Header: file, As: as}))(t)
		if got := rel.Functions[0].Pos; got != (api.Pos{File: want, Line: 1, Col: 5}) {
			t.Errorf("with As %q at %v", as, got)
		}
	}
}

// TestSame reads a header with many names twice: nothing may depend on the order of a map.
func TestSame(t *testing.T) {
	file := write(t, manyNames())
	var first []byte
	for range 5 {
		rel := must(Parse(Options{Header: file}))(t)
		data := must(api.Marshal(rel))(t)
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Fatal("two readings differ")
		}
	}
}

func manyNames() string {
	var text strings.Builder
	for _, name := range strings.Fields("q w e r t y u i o p a s d f g h j k l z x c v b n m") {
		text.WriteString(strings.ReplaceAll("#define M_N 1\nstruct r_N; struct s_N { int a; struct r_N *b; };\nenum e_N { V_N };\nint "+
			"f_N(struct r_N *);\n#define n_N s_N\n", "N", name))
	}
	return text.String()
}

// TestCosmetics: what does not change the meaning of a body does not change its hash, and what does, does.
func TestCosmetics(t *testing.T) {
	const head = "#include <stddef.h>\nstruct o { int a; struct o *next; };\nint take(struct o *o, int n);\nstatic inline int " +
		"f(struct o *o, int n)\n"
	hash := func(body string) string {
		rel := must(Parse(Options{Header: write(t, head+body)}))(t)
		d := rel.Functions[1].Dispatch
		if d.Way != api.WaySpecial || d.Tree == "" {
			t.Fatalf("%+v", d)
		}
		return d.Hash
	}
	plain := hash("{ struct o *p = o->next; if (!p) return 1; return take((struct o *)p, n); }")
	for _, same := range []string{
		"{\n\tstruct o *p;\n\n\tp = o->next;\n\tif (!p) {\n\t\treturn 1; /* why */\n\t}\n\treturn take((struct o*)p, n);\n}",
		"{ struct o* p = (o->next); int rc; if (!(p)) return (1); rc = take(((struct o *)p), n); return rc; }",
	} {
		if h := hash(same); h != plain {
			t.Errorf("another hash for %s", same)
		}
	}
	for _, other := range []string{
		"{ struct o *p = o->next; if (!p) return 2; return take((struct o *)p, n); }",
		"{ struct o *p = o->next; if (p) return 1; return take((struct o *)p, n); }",
		"{ struct o *p = o; if (!p) return 1; return take((struct o *)p, n); }",
		"{ struct o *p = o->next; return take((struct o *)p, n); }",
	} {
		if h := hash(other); h == plain {
			t.Errorf("the same hash for %s", other)
		}
	}
}

// TestStubsHide checks that no name of a stub header becomes a fact.
func TestStubsHide(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"stdint.h", "stddef.h", "stdbool.h", "errno.h", "string.h", "time.h", "pthread.h", "sys/types.h",
		"linux/types.h", "linux/if_ether.h"} {
		text.WriteString("#include <" + name + ">\n")
	}
	text.WriteString("#define OWN 1\n")
	rel := must(Parse(Options{Header: write(t, text.String())}))(t)
	want := &api.Release{Functions: []api.Function{}, Records: []api.Record{}, Enums: []api.Enum{},
		Aliases: []api.Alias{}, Typedefs: []api.Typedef{}, Variables: []api.Variable{},
		Macros: []api.Macro{{Name: "OWN", Value: int64(1), Pos: rel.Macros[0].Pos}}}
	if !reflect.DeepEqual(rel, want) {
		t.Errorf("got %+v", rel)
	}
}

// TestCut cuts a header at every byte: a result or an error, and always an end. At most cuts a declaration is open; there
// the error says that the file is not whole.
func TestCut(t *testing.T) {
	const text = "struct a { int n; };\nenum e { A = 1 << 2, B };\nint f(struct a *p, int (*cb)(const void *const, int[3]));\n" +
		"static inline int g(struct a *p)\n{\n\tif (!p->n)\n\t\treturn (int)sizeof(*p) - 1;\n\treturn f(p, 0);\n}\n"
	open := 0
	for i := 1; i < len(text); i += 3 {
		rel, err := Parse(Options{Header: write(t, text[:i])})
		if (rel == nil) == (err == nil) {
			t.Fatalf("cut at %d: %v, %v", i, rel, err)
		}
		if err != nil && strings.Contains(err.Error(), "ends too early") {
			open++
		}
	}
	if open < len(text)/3/2 {
		t.Errorf("only %d of %d cuts are told as such", open, len(text)/3)
	}
}

// TestBuiltIn: spec/REFERENCE.md lists the headers that are built in, and no others.
func TestBuiltIn(t *testing.T) {
	text := must(os.ReadFile("../../../../spec/REFERENCE.md"))(t)
	_, list, _ := strings.Cut(string(text), "Built in are ")
	list, _, _ = strings.Cut(list, ". Other headers")
	listed := strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list))
	var want []string
	err := fs.WalkDir(stubFiles, "stubs", func(path string, d fs.DirEntry, err error) error {
		if name := strings.TrimPrefix(path, "stubs/"); !d.IsDir() && name != "predefined.h" {
			want = append(want, name)
		}
		return err
	})
	slices.Sort(want)
	if err != nil || !slices.Equal(listed, want) {
		t.Errorf("docs/page.keys.yaml lists %v, built in are %v (%v)", listed, want, err)
	}
}

// must returns what a call gave, if it succeeded.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
