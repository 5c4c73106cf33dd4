package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// finder lists the mutants of Go code. It is asked for the list alone: it runs the tests of the changed package or those of the whole
// module for every mutant, while those that judge a generator are in other packages, and the whole module takes too long.
const finder = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// goTokens is what a token becomes, by gremlins' types.
var goTokens = map[string]map[string]string{
	"ARITHMETIC_BASE":       {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
	"CONDITIONALS_BOUNDARY": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
	"CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"},
	"INCREMENT_DECREMENT":   {"++": "--", "--": "++"},
	"INVERT_LOGICAL":        {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":       {"break": "continue", "continue": "break"},
	"INVERT_NEGATIVES":      {"-": "+"},
	"REMOVE_SELF_ASSIGNMENTS": {"+=": "=", "-=": "=", "*=": "=", "/=": "=", "|=": "=", "&=": "=", "^=": "=", "<<=": "=", ">>=": "=",
		"&^=": "=", "%=": "="},
}

type listing struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type         string
			Line, Column int
		}
	}
}

// gremlins lists the mutants of some files of one package.
func gremlins(t *tree, dir string, files []string) ([]mutant, error) {
	sum := hash(0, finder)
	for _, f := range files {
		text, err := t.read(f)
		if err != nil {
			return nil, err
		}
		sum = hash(sum, text)
	}
	to := filepath.Join(filepath.Dir(t.root), fmt.Sprintf("gremlins-%x.json", sum))
	if _, err := os.Stat(to); err != nil {
		module, in := t.moduleOf(dir)
		if _, err := output(module, "go", "run", finder, "unleash", "--dry-run", "--silent", "--invert-logical", "--invert-loopctrl",
			"--remove-self-assignments", "--output", to, "./"+in); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	return listed(data, dir, files, t.read)
}

// listed makes mutants of gremlins' list.
func listed(data []byte, dir string, files []string, read func(string) (string, error)) ([]mutant, error) {
	var l listing
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, err
	}
	var out []mutant
	for _, f := range l.Files {
		file := dir + "/" + f.Name
		if !slices.Contains(files, file) {
			continue
		}
		text, err := read(file)
		if err != nil {
			return nil, err
		}
		lines := strings.SplitAfter(text, "\n")
		for _, m := range f.Mutations {
			if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1]) {
				return nil, fmt.Errorf("%s:%d:%d: no such place", file, m.Line, m.Column)
			}
			at := len(strings.Join(lines[:m.Line-1], "")) + m.Column - 1
			token := longest(goTokens[m.Type], text[at:])
			if token == "" {
				return nil, fmt.Errorf("%s:%d:%d: no token of type %s", file, m.Line, m.Column, m.Type)
			}
			out = append(out, newMutant(file, text, at, token, goTokens[m.Type][token], m.Type))
		}
	}
	return out, nil
}

// longest is the longest of the tokens that the text begins with.
func longest(tokens map[string]string, text string) string {
	best := ""
	for token := range tokens {
		if strings.HasPrefix(text, token) && len(token) > len(best) {
			best = token
		}
	}
	return best
}
