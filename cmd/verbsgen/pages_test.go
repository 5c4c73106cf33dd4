package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// notRun are the blocks of shell in README.md and the guides that the script pages does not run, by their first line, with the reason.
var notRun = map[string]string{
	"make         # sets up, generates":                         "the tests of this repository themselves",
	"go install github.com/verbsgen/verbsgen/examples/pingpong": "two terminals, and libmlx5",
	"echo '@rdma - memlock unlimited'":                          "changes the machine, as root",
	`echo 'KERNEL=="uverbs*"`:                                   "changes the machine, as root",
	"docker run --device":                                       "a container, and a card",
	"modprobe rdma_rxe":                                         "loads a kernel module, as root",
	"go run ./conformance/vm -h":                                "boots a virtual machine, in a clone",
	"go test -c -o /tmp/mine.test":                              "boots a virtual machine, in a clone",
}

var (
	inFence  = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	indented = regexp.MustCompile(`\n\n {4}\S.*`)
)

// cmdPages does what README.md and each guide say, in a folder for each page: it writes programs to main.go, runs the blocks of shell in
// order, and compares what the last one printed with the block of text behind it.
func cmdPages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: pages")
	}
	root, work := ts.Getenv("REPO"), ts.Getenv("WORK")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	ts.Check(err)
	unused := map[string]bool{}
	for line := range notRun {
		unused[line] = true
	}
	ran := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		data, err := os.ReadFile(page)
		ts.Check(err)
		name, err := filepath.Rel(root, page)
		ts.Check(err)
		if at := indented.FindString(inFence.ReplaceAllString(string(data), "")); at != "" {
			ts.Fatalf("%s: %s: put code between lines of ```, with its language", name, strings.TrimSpace(at))
		}
		dir := filepath.Join(work, strings.ReplaceAll(name, "/", "_"))
		ts.Check(os.Mkdir(dir, 0o777))
		ts.Check(ts.Chdir(dir))
		printed := false // by the last block of shell
		for _, m := range inFence.FindAllStringSubmatch(string(data), -1) {
			switch kind, code := m[1], m[2]; {
			case kind == "go" && strings.HasPrefix(code, "package main\n"):
				ts.Check(os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o666))
			case kind == "sh":
				why := ""
				for line, reason := range notRun {
					if strings.HasPrefix(code, line) {
						why = reason
						delete(unused, line)
					}
				}
				line, _, _ := strings.Cut(code, "\n")
				if printed = why == ""; !printed {
					ts.Logf("%s: not run: %s (%s)", name, line, why)
					continue
				}
				ts.Logf("%s: %s", name, line)
				if err := ts.Exec("sh", "-ec", code); err != nil {
					ts.Fatalf("%s: %s: %v", name, line, err)
				}
				ran++
			case kind == "text" && printed:
				if got := ts.ReadFile("stdout"); got != code {
					ts.Fatalf("%s: the commands print\n%s\nand the page says\n%s", name, got, code)
				}
			}
		}
	}
	for line := range unused {
		ts.Fatalf("notRun has %q, with which no block of a page begins", line)
	}
	if ran < 4 {
		ts.Fatalf("only %d blocks of shell", ran)
	}
}
