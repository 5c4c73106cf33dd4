package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cTokens is what an operator between two operands becomes in C: first with the sense turned, then moved by one.
var cTokens = []struct{ old, new, kind string }{
	{" == ", " != ", "negation"}, {" != ", " == ", "negation"}, {" && ", " || ", "logic"}, {" || ", " && ", "logic"},
	{" < ", " <= ", "boundary"}, {" <= ", " < ", "boundary"}, {" > ", " >= ", "boundary"}, {" >= ", " > ", "boundary"},
	{" + ", " - ", "arithmetic"}, {" - ", " + ", "arithmetic"}, {" & ", " | ", "bits"}, {" | ", " & ", "bits"},
	{" |= ", " = ", "bits"}, {" += ", " = ", "arithmetic"},
}

var (
	cError = regexp.MustCompile(`\breturn (E[A-Z]+);`)
	cCall  = regexp.MustCompile(`^\t+([a-z]\w*\(.*\);)$`)
)

// scanC finds mutants in lines of C that are no comments and not for the preprocessor.
func scanC(file, text string) []mutant {
	var out []mutant
	for at, line := range lines(text) {
		code, _, _ := strings.Cut(line, "//")
		if strings.HasPrefix(code, "#") || strings.Contains(code, `"`) || strings.HasSuffix(code, `\`) {
			continue
		}
		for _, t := range cTokens {
			for i := range code {
				if strings.HasPrefix(code[i:], t.old) {
					out = append(out, newMutant(file, text, at+i+1, strings.TrimSpace(t.old), strings.TrimSpace(t.new), t.kind))
				}
			}
		}
		if m := cError.FindStringSubmatchIndex(code); m != nil {
			out = append(out, newMutant(file, text, at+m[2], code[m[2]:m[3]], "0", "error"))
		}
		if m := cCall.FindStringSubmatchIndex(code); m != nil {
			out = append(out, newMutant(file, text, at+m[2], code[m[2]:m[3]], ";", "call"))
		}
	}
	return out
}

var (
	pageNumber = regexp.MustCompile(`\b(min|max): (\d+)\b`)
	pageCap    = regexp.MustCompile(`^    cap: (\S+)$`)
	pageList   = regexp.MustCompile(`\b(need|may|allow|if|values): \[([^\]]*)\]`)
	pageLint   = regexp.MustCompile(`^ +(severity: lint)$`)
	pageKind   = regexp.MustCompile(`^(?:    |  - )(kind: \w+)$`)
)

// scanPage finds mutants in the rules of a page: the severity, a bound, a capability, a value of a list.
func scanPage(file, text string) []mutant {
	rules := strings.Index(text, "\nrules:\n")
	if rules < 0 {
		return nil
	}
	caps := regexp.MustCompile(`(?m)`+pageCap.String()).FindAllStringSubmatch(text, -1)
	var out []mutant
	for at, line := range lines(text) {
		if at < rules {
			continue
		}
		add := func(from, to int, new, kind string) {
			out = append(out, newMutant(file, text, at+from, line[from:to], new, kind))
		}
		if m := pageNumber.FindStringSubmatchIndex(line); m != nil {
			add(m[4], m[5], plusOne(line[m[4]:m[5]]), "bound")
		}
		if m := pageLint.FindStringSubmatchIndex(line); m != nil {
			add(m[2], m[3], "severity: error", "lint made an error")
		}
		if m := pageKind.FindStringSubmatchIndex(line); m != nil {
			block, _, _ := strings.Cut(text[at:], "\n\n")
			if !strings.Contains(block, "severity:") {
				add(m[2], m[3], line[m[2]:m[3]]+"\n    severity: lint", "error made a lint")
			}
		}
		if m := pageCap.FindStringSubmatchIndex(line); m != nil {
			if i := slices.IndexFunc(caps, func(c []string) bool { return c[1] != line[m[2]:m[3]] }); i >= 0 {
				add(m[2], m[3], caps[i][1], "capability")
			}
		}
		for _, m := range pageList.FindAllStringSubmatchIndex(line, -1) {
			if first, _, more := strings.Cut(line[m[4]:m[5]], ", "); more {
				add(m[4], m[4]+len(first)+2, "", "value dropped")
			}
		}
	}
	return out
}

func plusOne(n string) string {
	v, _ := strconv.ParseUint(n, 10, 64) // the pattern has digits alone
	return strconv.FormatUint(v+1, 10)
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
