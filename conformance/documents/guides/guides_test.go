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

// notRun are the pages whose pieces of Go are only compiled, each with the reason.
var notRun = map[string]string{
	"docs/vendors.md":       "package efadv needs libefa and a card of Amazon",
	"docs/guide/sharing.md": "it needs a device that another process can import; TestSharingGuide of conformance/device/oncard runs it",
}

// block is a piece of Go in a page.
type block struct {
	page   string // from the root of the repository
	line   int
	code   string
	prints string // the next block of text, before other Go
}

// inFence matches a fenced piece of Go.
var inFence = regexp.MustCompile("(?s)```go\n(.*?)```")

// blocksOf takes the Go out of a file.
func blocksOf(t *testing.T, root, file string) (all []block) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, at := range inFence.FindAllStringSubmatchIndex(text, -1) {
		b := block{page: page, line: strings.Count(text[:at[2]], "\n") + 1, code: text[at[2]:at[3]]}
		next, _, _ := strings.Cut(text[at[1]:], "```go\n")
		_, next, _ = strings.Cut(next, "```text\n")
		b.prints, _, _ = strings.Cut(next, "```")
		all = append(all, b)
	}
	return all
}

// packages are what a piece of a program may use without importing it.
var packages = map[string]string{
	"context": "context", "errors": "errors", "exec": "os/exec", "fmt": "fmt", "log": "log", "os": "os", "strings": "strings",
	"syscall": "syscall", "time": "time",
	"verbs": module + "gen/verbs", "efadv": module + "gen/efadv", "connect": module + "gen/verbs/connect", "endpoint": module + "gen/verbs/endpoint",
	"net": "net", "netip": "net/netip", "filepath": "path/filepath",
	"softverbs": module + "runtime/softverbs", "mem": module + "runtime/mem", "verr": module + "runtime/verr",
}

// wrapped makes a file of a piece: the body of a function that has the usual variables.
func wrapped(b block, name string) string {
	const params = "ctx context.Context, lib *verbs.Lib, dev *verbs.Device, pd *verbs.PD, cq *verbs.CQ, qp *verbs.QP, buf []byte"
	// What a piece makes and does not use is used here: pages do not end every piece with a use.
	used := ""
	for _, v := range []string{"mr", "dm", "err", "n", "qp", "info"} {
		if regexp.MustCompile(`\b` + v + `\b[^\n=]*:=`).MatchString(b.code) {
			used += "_ = " + v + "\n"
		}
	}
	body := fmt.Sprintf("func %s(%s) error {{\n//line %s:%d\n%s\n%s}\nreturn nil\n}\n", name, params, b.page, b.line, b.code, used)

	var imports []string
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(params + b.code) {
			imports = append(imports, fmt.Sprintf("import %q\n", path))
		}
	}
	slices.Sort(imports)
	return "package guide\n\n" + strings.Join(imports, "") + "\n" + body
}

// runner runs each piece on a software device of its own, which has the name that pages give a card. A piece that waits gets a completion.
const runner = `package guide

import (
	"context"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

type piece func(context.Context, *verbs.Lib, *verbs.Device, *verbs.PD, *verbs.CQ, *verbs.QP, []byte) error

func TestPieces(t *testing.T) {
	for at, run := range pieces {
		t.Run(at, func(t *testing.T) {
			soft := softverbs.New(softverbs.Name("mlx5_0"), softverbs.MaxDMSize(1<<20))
			defer soft.Close()
			lib := must(verbs.LoadFrom(soft))
			dev := must(lib.OpenDevice("mlx5_0"))
			defer dev.CloseAll()
			pd := must(dev.AllocPD())
			cq := must(dev.CreateCQ(1, must(dev.CreateCompChannel()), 0))
			qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}))
			self := connect.DefaultSetup()
			self.DestQPNum, self.AccessFlags = qp.Num(), verbs.QPAccessRemoteWrite
			self.AV = verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(dev.QueryGID(1, 0)), HopLimit: 1}
			if err := self.ToRTS(qp); err != nil {
				t.Fatal(err)
			}
			batch := must(verbs.NewSendBatch(1, 1))
			batch.WR(0).Write(1, 0, 0).Flags(verbs.SendSignaled)
			must(qp.PostSend(batch, 1))
			if err := run(t.Context(), lib, dev, pd, cq, qp, make([]byte, 4096)); err != nil {
				t.Error(err)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
`

// TestCode runs every piece on software devices. Programs print what the page says, which is nothing where it says nothing. The packages
// are only in an overlay of the go command.
func TestCode(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, "docs", name)] = file
	}
	programs := map[string]block{}
	list := "package guide\n\nvar pieces = map[string]piece{\n"
	for i, b := range allBlocks(t, root) {
		name := fmt.Sprintf("piece%d", i)
		switch clause, _, _ := strings.Cut(b.code, "\n"); {
		case clause == "package main": // without a card
			programs[name] = b
			add(name+"/main.go", strings.Replace(b.code, "verbs.Load()", "verbs.LoadFrom(card)", 1))
			add(name+"/card.go", "package main\n\nimport \"github.com/verbsgen/verbsgen/runtime/softverbs\"\n\n"+
				"var card = softverbs.New(softverbs.Name(\"mlx5_0\"))\n")
		case strings.HasPrefix(clause, "package "): // a test
			add("guide/"+name+"_test.go", strings.Replace(b.code, clause, "package guide", 1))
		default:
			add("guide/"+name+"_test.go", wrapped(b, name))
			if _, out := notRun[b.page]; !out {
				list += fmt.Sprintf("%q: %s,\n", fmt.Sprintf("%s:%d", b.page, b.line), name)
			}
		}
	}
	add("guide/list_test.go", list+"}\n")
	add("guide/runner_test.go", runner)
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	with := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(with, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("go %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	if out := run("test", "-vet=off", "-overlay", with, "./docs/guide"); t.Failed() {
		t.Log(out)
	}
	for name, b := range programs {
		if out := run("run", "-overlay", with, "./docs/"+name); out != b.prints {
			t.Errorf("%s:%d: the program prints\n%s\nand the page says\n%s", b.page, b.line, out, b.prints)
		}
	}
}

// allBlocks takes the Go out of README.md, the guides, and the pages that are only compiled.
func allBlocks(t *testing.T, root string) (all []block) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d guides, %v", len(pages), err)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	for page, why := range notRun {
		t.Logf("%s is only compiled: %s", page, why)
		if page = filepath.Join(root, page); !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	for _, page := range pages {
		all = append(all, blocksOf(t, root, page)...)
	}
	return all
}
