package input

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Directive is one go:generate line that runs `verbsgen generate`.
type Directive struct {
	File string
	Line int
	Dir  string   // folder of the file, in which go generate would run it
	Args []string // behind the word generate
	Err  error    // why the line cannot be read; then it has no Args
}

// DirectivesIn reads the lines of one file.
func DirectivesIn(at string, data []byte) []Directive {
	const mark = "//go:generate"
	var found []Directive
	for i, line := range bytes.Split(data, []byte("\n")) {
		text, ok := strings.CutPrefix(string(line), mark)
		if !ok || text == "" || (text[0] != ' ' && text[0] != '\t') {
			continue
		}
		words, err := splitDirective(text, at, i+1, PackageName(data))
		args, ours := runsGenerate(words)
		if ours {
			found = append(found, Directive{at, i + 1, filepath.Dir(at), args, err})
		}
	}
	return found
}

// PackageName returns the name in the package clause of a Go file, or "".
func PackageName(data []byte) string {
	for line := range bytes.Lines(data) {
		if f := bytes.Fields(line); len(f) >= 2 && string(f[0]) == "package" {
			return string(f[1])
		}
	}
	return ""
}

// splitDirective splits the text of a directive as go generate does: at blanks, with Go strings in double quotes,
// variables replaced. With an error it returns the words before that.
func splitDirective(text, file string, line int, pkg string) ([]string, error) {
	var words []string
	text = strings.TrimSpace(text)
	for text != "" {
		word := text
		if text[0] == '"' {
			q, err := strconv.QuotedPrefix(text)
			if err != nil {
				return words, fmt.Errorf("%s is not a Go string in double quotes", text)
			}
			if word, err = strconv.Unquote(q); err != nil {
				return words, err
			}
			text = text[len(q):]
		} else {
			if i := strings.IndexAny(text, " \t"); i >= 0 {
				word = text[:i]
			}
			text = text[len(word):]
		}
		words = append(words, os.Expand(word, func(name string) string {
			switch name {
			case "GOFILE":
				return filepath.Base(file)
			case "GOLINE":
				return strconv.Itoa(line)
			case "GOPACKAGE":
				return pkg
			case "DOLLAR":
				return "$"
			}
			return os.Getenv(name)
		}))
		text = strings.TrimLeft(text, " \t")
	}
	return words, nil
}

// runsGenerate reports whether the words run `verbsgen generate` in one of its forms: as a program, by `go tool`, or by
// `go run` of a package path; and gives the arguments.
func runsGenerate(words []string) (args []string, ok bool) {
	i := slices.Index(words, "generate")
	if i < 1 {
		return nil, false
	}
	program, _, _ := strings.Cut(filepath.ToSlash(words[i-1]), "@")
	return words[i+1:], path.Base(program) == "verbsgen"
}
