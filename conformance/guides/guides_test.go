package guides

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/verbsgen/verbsgen/"

// block is a piece of Go in a page.
type block struct {
	page string // from the root of the repository
	line int
	code string
}

// inFence matches a fenced piece of Go.
var inFence = regexp.MustCompile("(?s)```go\n(.*?)```")

// blocksOf takes the Go out of a page.
func blocksOf(t *testing.T, root, page string) (all []block) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, at := range inFence.FindAllStringSubmatchIndex(text, -1) {
		all = append(all, block{page, strings.Count(text[:at[2]], "\n") + 1, text[at[2]:at[3]]})
	}
	return all
}

// packages are what a piece of a program may use without importing it.
var packages = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "log": "log", "os": "os", "syscall": "syscall", "time": "time",
	"verbs": module + "gen/verbs", "connect": module + "gen/verbs/connect", "softverbs": module + "runtime/softverbs",
	"mem": module + "runtime/mem", "verr": module + "runtime/verr",
}

// wrapped makes a file of a piece: the body of a function that has the usual variables.
func wrapped(b block) string {
	if strings.HasPrefix(b.code, "package ") {
		return b.code
	}
	const params = "ctx context.Context, lib *verbs.Lib, dev *verbs.Device, pd *verbs.PD, cq *verbs.CQ, qp *verbs.QP, buf []byte"
	body := fmt.Sprintf("func _(%s) error {{\n//line %s:%d\n%s\n}\nreturn nil\n}\n", params, b.page, b.line, b.code)
	// What a piece makes and does not use is used here: pages do not end every piece with a use.
	for _, name := range []string{"mr", "dm", "err", "n"} {
		if regexp.MustCompile(`\b` + name + `\b[^\n=]*:=`).MatchString(b.code) {
			body = strings.Replace(body, "\n}\nreturn nil\n}\n", "\n_ = "+name+"\n}\nreturn nil\n}\n", 1)
		}
	}

	var imports []string
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(params + b.code) {
			imports = append(imports, fmt.Sprintf("import %q\n", path))
		}
	}
	slices.Sort(imports)
	return "package guide\n\n" + strings.Join(imports, "") + "\n" + body
}

// TestCode compiles every piece, each as a package of its own that is only in an overlay of the go command.
func TestCode(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d guides, %v", len(pages), err)
	}
	blocks := blocksOf(t, root, "README.md")
	for _, p := range pages {
		blocks = append(blocks, blocksOf(t, root, filepath.Join("docs", "guide", filepath.Base(p)))...)
	}
	if len(blocks) < 12 {
		t.Fatalf("only %d pieces of Go", len(blocks))
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	dir := t.TempDir()
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for i, b := range blocks {
		text, name := strings.Replace(wrapped(b), "package main\n", "package guide\n", 1), "guide.go" // not linked
		file := filepath.Join(dir, fmt.Sprintf("%d_%s", i, name))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprintf("docs/guide/code%d", i)
		overlay.Replace[filepath.Join(root, at, name)] = file
		args = append(args, "./"+at)
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the code of the guides does not compile: %v\n%s", err, out)
	}
}

// TestPrograms runs the first programs that a reader tries, which need no card.
func TestPrograms(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"README.md":                 "",
		"docs/guide/first-steps.md": "received \"hello\"\n",
	} {
		b := blocksOf(t, root, page)[0]
		if !strings.HasPrefix(b.code, "package main") {
			t.Errorf("%s:%d: the first piece of Go is not a program", page, b.line)
			continue
		}
		if want == "" { // the page shows the output behind the program
			data, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			_, after, _ := strings.Cut(string(data), b.code)
			_, after, _ = strings.Cut(after, "```text\n")
			want, _, _ = strings.Cut(after, "```")
		}
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(b.code), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", file)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s:%d: the program prints\n%s%v\nand the page says\n%s", page, b.line, out, err, want)
		}
	}
}
