package guides

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// placeholders are folders that a page has its reader make.
var placeholders = []string{"./try/verbs", "./mine"}

// TestCommands holds the command lines of the pages, in blocks and between backquotes, against the tree: packages, tests, targets, commands
// and flags that they name exist.
func TestCommands(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	read := func(path ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	makefile, help, card := read("Makefile"), read("docs", "commands.md"), read("conformance", "card", "rdmacard", "main.go")
	const tools = `(?:go (?:run|test|install|build|vet|doc|generate)|make|verbsgen|rdmacard)`
	line := regexp.MustCompile("(?m)(?:^    +(?:[A-Z_]+=\\S+ )*|`)(" + tools + "(?: [^`\\n]*)?)(?:`|$)")
	fence := regexp.MustCompile("(?s)```sh\n(.*?)```")
	var pages []string
	for _, glob := range []string{"*.md", "docs/*.md", "docs/guide/*.md", "examples/*.md", "examples/*/*.md", "spec/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, glob))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	n := 0
	for _, page := range pages {
		if base := filepath.Base(page); base == "commands.md" || base == "CHANGELOG.md" || base == "errors.md" {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		indented := fence.ReplaceAllStringFunc(string(text), func(block string) string { return strings.ReplaceAll(block, "\n", "\n    ") })
		for _, m := range line.FindAllStringSubmatch(indented, -1) {
			command, _, _ := strings.Cut(m[1], " #")
			n++
			words := strings.Fields(command)
			var wrong []string
			switch words[0] {
			case "go":
				wrong = goCommand(t, root, words)
			case "make":
				for _, w := range words[1:] {
					if regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(w) && !strings.Contains(makefile, "\n"+w+":") && !listed(makefile, w) {
						wrong = append(wrong, w)
					}
				}
			case "verbsgen":
				if len(words) > 1 && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
					_, section, ok := strings.Cut(help, "\n## verbsgen "+words[1]+"\n")
					section, _, _ = strings.Cut(section, "\n## ")
					if !ok && words[1] != "help" {
						wrong = append(wrong, words[1])
					}
					wrong = append(wrong, flagsNot(words, section+" --help")...)
				}
			case "rdmacard":
				if i := slices.Index(words, "--"); i > 0 {
					words = words[:i]
				}
				wrong = flagsNot(words, regexp.MustCompile(`&\w+(?:\.\w+)?, "`).ReplaceAllString(card, "--"))
			}
			if len(wrong) > 0 {
				t.Errorf("%s: %s: there is no %s", page, command, strings.Join(wrong, ", "))
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d command lines found", n)
	}
}

// goCommand returns the packages and tests of a go command that do not exist.
func goCommand(t *testing.T, root string, words []string) (wrong []string) {
	var tests string
	for _, w := range words {
		path, here := strings.CutPrefix(strings.Split(w, "@")[0], "./")
		if !here {
			path, here = strings.CutPrefix(path, module)
		}
		path = strings.TrimSuffix(strings.TrimSuffix(path, "..."), "/")
		if !here || path == "" || strings.HasPrefix(path, "$") || path == "PACKAGE" || slices.Contains(placeholders, "./"+path) {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			wrong = append(wrong, w)
		}
		files, err := filepath.Glob(filepath.Join(root, path, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests += string(data)
		}
	}
	for _, flag := range []string{"-run", "-bench", "-fuzz"} {
		i := slices.Index(words, flag)
		if i < 0 || i+1 == len(words) || tests == "" {
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(words[i+1], "'"), "/")
		for _, name := range strings.Split(strings.Trim(name, "^$()"), "|") {
			if name != "" && !regexp.MustCompile(`func (Test|Benchmark|Fuzz|Example)?\w*`+name).MatchString(tests) {
				wrong = append(wrong, name)
			}
		}
	}
	return wrong
}

// flagsNot returns the flags among words that text does not name.
func flagsNot(words []string, text string) (wrong []string) {
	for _, w := range words {
		flag, _, _ := strings.Cut(strings.TrimRight(w, ".,;)"), "=")
		if strings.HasPrefix(flag, "--") && len(flag) > 2 && !strings.Contains(text, flag) {
			wrong = append(wrong, flag)
		}
	}
	return wrong
}

// listed reports whether a line of several targets names one.
func listed(makefile, target string) bool {
	return regexp.MustCompile(`(?m)^[a-z -]*\b` + regexp.QuoteMeta(target) + `\b[a-z -]*:`).MatchString(makefile)
}
