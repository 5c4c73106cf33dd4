package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// directive is one go:generate line that runs `verbsgen generate`.
type directive struct {
	file string
	line int
	dir  string   // folder of the file, in which go generate would run it
	args []string // behind the word generate
}

// findDirectives looks for go:generate lines of ours in the Go files of a folder and those below it, but for nested
// modules and the folders that the go command skips.
func findDirectives(dir string) ([]directive, error) {
	var found []directive
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && at == dir:
			return err
		case err != nil:
			return nil // a folder that cannot be read is not one of the package's
		case e.IsDir():
			if at != dir && skipDir(at, e.Name()) {
				return filepath.SkipDir
			}
			return nil
		case !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") || strings.HasPrefix(e.Name(), "."):
			return nil
		}
		data, err := regular.Read(at, output.MaxFile)
		if err != nil {
			return nil
		}
		found = append(found, directivesIn(at, data)...)
		return nil
	})
	return found, err
}

// skipDir tells whether a folder below the first is none of the module's.
func skipDir(at, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(at, "go.mod"))
	return !errors.Is(err, fs.ErrNotExist)
}

// directivesIn reads the lines of one file.
func directivesIn(at string, data []byte) []directive {
	const mark = "//go:generate"
	var found []directive
	for i, line := range bytes.Split(data, []byte("\n")) {
		text, ok := strings.CutPrefix(string(line), mark)
		if !ok || text == "" || (text[0] != ' ' && text[0] != '\t') {
			continue
		}
		words, err := splitDirective(text, at, i+1, packageName(data))
		if err != nil {
			continue // go generate tells
		}
		if args, ok := runsGenerate(words); ok {
			found = append(found, directive{at, i + 1, filepath.Dir(at), args})
		}
	}
	return found
}

// packageName reads the package clause, for $GOPACKAGE.
func packageName(data []byte) string {
	for line := range bytes.Lines(data) {
		if f := bytes.Fields(line); len(f) >= 2 && string(f[0]) == "package" {
			return string(f[1])
		}
	}
	return ""
}

// splitDirective splits the text of a directive as go generate does: at blanks, with Go strings in double quotes,
// variables replaced.
func splitDirective(text, file string, line int, pkg string) ([]string, error) {
	var words []string
	text = strings.TrimSpace(text)
	for text != "" {
		word := text
		if text[0] == '"' {
			q, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, err
			}
			if word, err = strconv.Unquote(q); err != nil {
				return nil, err
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

// runsGenerate tells whether the words run `verbsgen generate` in one of its forms: as a program, by `go tool`, or by
// `go run` of a package path; and gives the arguments.
func runsGenerate(words []string) (args []string, ok bool) {
	i := slices.Index(words, "generate")
	if i < 1 {
		return nil, false
	}
	program, _, _ := strings.Cut(filepath.ToSlash(words[i-1]), "@")
	return words[i+1:], path.Base(program) == "verbsgen"
}

// target reads the flags of a directive; paths then count from the folder of the command.
func (d directive) target() (target, error) {
	t := newTarget()
	cmd := &cobra.Command{Use: "generate", SilenceErrors: true, SilenceUsage: true}
	t.flags(cmd)
	err := cmd.ParseFlags(d.args)
	if err == nil && cmd.PreRunE != nil {
		err = cmd.PreRunE(cmd, nil)
	}
	if err == nil {
		err = takes(0, 0)(cmd, cmd.Flags().Args())
	}
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return t, diag.One(diag.New(diag.Directive, d.file, d.line, 1, "go:generate", err.Error(), "see `verbsgen generate --help`"))
	}
	t.below(d.dir)
	return t, nil
}
