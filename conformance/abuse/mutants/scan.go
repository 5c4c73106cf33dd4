package main

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// mutant is one change of one file.
type mutant struct {
	file     string
	line     int
	old, new string
	changed  string // the text of the file
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %q to %q", m.file, m.line, m.old, m.new) }

// edit changes what an expression matches, or its group where it has one. The new text may depend on the old one.
type edit struct {
	old *regexp.Regexp
	new func(old string) string
}

func to(new string) func(string) string { return func(string) string { return new } }

// ofCode are edits of C and of Go, by pairs of what is found and what it becomes.
var ofCode = func() (all []edit) {
	pairs := []string{
		" == ", " != ", " != ", " == ", " && ", " || ", " || ", " && ", " < ", " <= ", " <= ", " < ", " > ", " >= ", " >= ", " > ",
		" + ", " - ", " - ", " + ", " & ", " | ", " | ", " & ", " |= ", " = ", " += ", " = ", "++", "--", "--", "++",
	}
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, edit{regexp.MustCompile(regexp.QuoteMeta(pairs[i])), to(pairs[i+1])})
	}
	return append(all,
		edit{regexp.MustCompile(`\bbreak\b`), to("continue")},
		edit{regexp.MustCompile(`\bcontinue\b`), to("break")},
		edit{regexp.MustCompile(`[ (](!)\w`), to("")},
		edit{regexp.MustCompile(`\breturn (E[A-Z]+);`), to("0")},
		edit{regexp.MustCompile(`^\t+([a-z][\w.]*\(.*\));?$`), to("")})
}()

// ofRules are edits of the rules of a page: a bound, a value dropped from a list, a hint made an error.
var ofRules = []edit{
	{regexp.MustCompile(`\b(?:min|max): (\d+)\b`), func(n string) string {
		v, _ := strconv.ParseUint(n, 10, 64) // the pattern has digits alone
		return strconv.FormatUint(v+1, 10)
	}},
	{regexp.MustCompile(`\b(?:need|may|allow|if|values): \[([^\],]*, )`), to("")},
	{regexp.MustCompile(`^ +severity: (lint)$`), to("error")},
}

// scan finds the mutants of a file.
func scan(file, text string) []mutant {
	if path.Ext(file) == ".yaml" {
		return scanPage(file, text)
	}
	var out []mutant
	for at, line := range lines(text) {
		code, _, _ := strings.Cut(line, "//")
		if strings.HasPrefix(code, "#") || strings.ContainsAny(code, "\"`") || strings.HasSuffix(code, `\`) {
			continue
		}
		out = append(out, edited(file, text, at, code, ofCode)...)
	}
	return out
}

var (
	pageCap  = regexp.MustCompile(`(?m)^    cap: (\S+)$`)
	pageKind = regexp.MustCompile(`^(?:    |  - )(kind: \w+)$`)
)

// scanPage finds mutants in the rules of a page.
func scanPage(file, text string) []mutant {
	rules := strings.Index(text, "\nrules:\n")
	if rules < 0 {
		return nil
	}
	caps := pageCap.FindAllStringSubmatch(text, -1)
	edits := append([]edit{}, ofRules...)
	edits = append(edits, edit{pageCap, func(old string) string {
		for _, c := range caps {
			if c[1] != old {
				return c[1]
			}
		}
		return old
	}})
	var out []mutant
	for at, line := range lines(text) {
		if at < rules {
			continue
		}
		out = append(out, edited(file, text, at, line, edits)...)
		if rule, _, _ := strings.Cut(text[at:], "\n\n"); !strings.Contains(rule, "severity:") { // it is an error
			out = append(out, edited(file, text, at, line, []edit{{pageKind, func(old string) string { return old + "\n    severity: lint" }}})...)
		}
	}
	return out
}

// edited makes the edits of the line at an offset.
func edited(file, text string, at int, line string, edits []edit) (out []mutant) {
	for _, e := range edits {
		for _, m := range e.old.FindAllStringSubmatchIndex(line, -1) {
			m = m[len(m)-2:]
			old := line[m[0]:m[1]]
			if new := e.new(old); new != old {
				out = append(out, mutant{file, 1 + strings.Count(text[:at], "\n"), strings.TrimSpace(old), strings.TrimSpace(new),
					text[:at+m[0]] + new + text[at+m[1]:]})
			}
		}
	}
	return out
}

// lines returns the lines of a text without their ends, each with its offset.
func lines(text string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at := 0
		for line := range strings.Lines(text) {
			if !yield(at, strings.TrimSuffix(line, "\n")) {
				return
			}
			at += len(line)
		}
	}
}
