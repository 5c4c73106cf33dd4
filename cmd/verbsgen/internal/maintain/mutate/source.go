// Package mutate makes damaged copies of a C header, for a test of what the command does with them.
//
// It owns the kinds of damage and where a header can suffer them. It looks at a header as lines and knows only as much C
// as it takes to find declarations in one that is laid out as verbs.h is; it knows nothing of facts, specs or the command.
package mutate

import (
	"regexp"
	"strings"
)

// Kinds of declarations.
const (
	isRecord   = "record"
	isEnum     = "enum"
	isFunction = "function"
	isInline   = "inline function"
	isMacro    = "macro"
	isInclude  = "include"
)

// span is a declaration: the lines from its first to its last, both counted from 0.
type span struct {
	kind        string
	name        string
	first, last int
}

// source is a header, and where what stands in it.
type source struct {
	lines       []string
	spans       []span
	fields      []int // lines that declare a field
	enumerators []int // lines that declare an enumerator
}

var (
	fieldLine = regexp.MustCompile(`^(\t+)((?:const )?(?:struct |union |enum |unsigned |signed )?` +
		`\w+)(\s+\**|\s*\*+\s*)(\w+)((?:\[\w*\])*);`)
	enumeratorLine = regexp.MustCompile(`^\s+([A-Z]\w+)(\s*=\s*[^,/]+)?(,|\s*$)`)
	firstName      = regexp.MustCompile(`^(?:struct|union|enum)\s+(\w+)\s*\{?\s*$`)
	functionName   = regexp.MustCompile(`(\w+)\s*\(`)
	macroLine      = regexp.MustCompile(`^#\s*define\s+(\w+)`)
	includeFile    = regexp.MustCompile(`^#\s*include\s+[<"]([^>"]+)[>"]`)
)

// read finds the declarations of a header.
func read(text string) *source {
	s := &source{lines: strings.Split(text, "\n")}
	code := strings.Split(withoutComments(text), "\n")
	depth, first, word := 0, -1, ""
	for i, line := range code {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" && first < 0:
			continue
		case strings.HasPrefix(trimmed, "#"):
			s.directive(i, trimmed)
			continue
		case strings.HasPrefix(trimmed, `extern "C"`):
			continue
		}
		if first < 0 {
			if depth == 0 && trimmed == "}" { // of extern "C"
				continue
			}
			first, word = i, trimmed
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		s.member(i, line, word, depth)
		if depth == 0 && (strings.HasSuffix(trimmed, ";") || strings.HasSuffix(trimmed, "}")) {
			s.declaration(code, first, i)
			first = -1
		}
	}
	return s
}

func (s *source) directive(i int, line string) {
	if m := macroLine.FindStringSubmatch(line); m != nil {
		s.spans = append(s.spans, span{isMacro, m[1], i, i})
	} else if m := includeFile.FindStringSubmatch(line); m != nil {
		s.spans = append(s.spans, span{isInclude, m[1], i, i})
	}
}

// member notes a line inside a record or an enum.
func (s *source) member(i int, line, word string, depth int) {
	switch {
	case depth == 0:
	case strings.HasPrefix(word, "enum"):
		if enumeratorLine.MatchString(line) {
			s.enumerators = append(s.enumerators, i)
		}
	case strings.HasPrefix(word, "struct"), strings.HasPrefix(word, "union"):
		if fieldLine.MatchString(line) {
			s.fields = append(s.fields, i)
		}
	}
}

func (s *source) declaration(code []string, first, last int) {
	text := strings.Join(code[first:last+1], "\n")
	d := span{kind: isFunction, first: first, last: last}
	if m := firstName.FindStringSubmatch(strings.TrimSpace(code[first])); m != nil {
		d.name, d.kind = m[1], isRecord
		if strings.HasPrefix(code[first], "enum") {
			d.kind = isEnum
		}
	} else if strings.HasPrefix(text, "enum {") {
		d.kind = isEnum
	} else if m := functionName.FindStringSubmatch(text); m != nil {
		d.name = m[1]
		if strings.Contains(text, "{") {
			d.kind = isInline
		}
	} else {
		return
	}
	s.spans = append(s.spans, d)
}

// withoutComments puts a blank for every byte of a comment, but for the ends of lines.
func withoutComments(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '/' || i+1 == len(b) || b[i+1] != '*' {
			continue
		}
		end := strings.Index(text[i+2:], "*/")
		if end < 0 {
			end = len(b) - i - 4
		}
		for j := i; j < min(i+end+4, len(b)); j++ {
			if b[j] != '\n' {
				b[j] = ' '
			}
		}
		i += end + 3
	}
	return string(b)
}

// of lists the declarations of some kinds.
func (s *source) of(kinds ...string) []span {
	var list []span
	for _, d := range s.spans {
		for _, k := range kinds {
			if d.kind == k {
				list = append(list, d)
			}
		}
	}
	return list
}

// text is a declaration as it stands.
func (s *source) text(d span) string { return strings.Join(s.lines[d.first:d.last+1], "\n") }

// with returns the header with lines in the place of those from first to last.
func (s *source) with(first, last int, lines ...string) string {
	all := append([]string{}, s.lines[:first]...)
	all = append(all, lines...)
	return strings.Join(append(all, s.lines[last+1:]...), "\n")
}

// before returns the header with lines added before line i.
func (s *source) before(i int, lines ...string) string { return s.with(i, i-1, lines...) }
