package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// counted0 are the problems whose line the YAML parser counts from 0.
var counted0 = regexp.MustCompile(`^did not find expected (<document start>|'-' indicator|key|',' or|node content)`)

// syntaxError splits an error of the YAML parser in line and problem.
func syntaxError(err error) (line int, problem string) {
	m := yamlLine.FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	if m == nil {
		return 1, fmt.Sprintf("%q", err.Error())
	}
	line, _ = strconv.Atoi(m[1])
	if counted0.MatchString(m[2]) {
		line++
	}
	return max(line, 1), m[2]
}

// notYAML places an error of the YAML parser and says what to do. A bracket that is never closed is told where it
// stands: the parser notices it lines later.
func notYAML(data []byte, err error) (line, col int, problem, fix string) {
	line, problem = syntaxError(err)
	if b, ok := scanBrackets(string(data), maxNested); ok && b.line <= line+1 {
		return b.line, b.col, "not YAML: this " + string(b.open) + " is never closed", "close it with " + string(closer[b.open])
	}
	text := lineOf(data, line)
	return line, len(text) - len(strings.TrimLeft(text, " ")) + 1, "not YAML: " + problem, syntaxFix(problem, text)
}

// syntaxFixes say what to do, by a part of what the YAML parser says.
var syntaxFixes = []struct{ problem, fix string }{
	{"mapping values are not allowed", "put a text with a colon in quotes, and indent the keys of one mapping alike"},
	{"unexpected end of stream", "close the quotes that the text is in"},
	{"could not find expected ':'", "write key: value"},
	{"expected '-' indicator", "begin each entry of the list with a dash, all indented alike"},
	{"did not find expected key", "indent the keys of one mapping alike, and close no bracket twice"},
	{"control characters", "take the control character out"},
	{"unknown escape character", "write the text in single quotes"},
	{"alphabetic or numeric", "put a text that begins with * or & in quotes"},
	{"tag", "put a text that begins with ! in quotes"},
}

func syntaxFix(problem, text string) string {
	if strings.Contains(problem, "cannot start any token") {
		if strings.Contains(text, "@") {
			return "put a value that begins with @ in quotes"
		}
		return "put a text that begins with ` or % in quotes"
	}
	for _, f := range syntaxFixes {
		if strings.Contains(problem, f.problem) {
			return f.fix
		}
	}
	return "look for a quote or bracket that is not closed, or for odd indenting, here and above"
}

// bracket is one that opens a list or a mapping.
type bracket struct {
	open      byte
	line, col int
	depth     int // 1 for one that stands in no other
}

var closer = map[byte]byte{'[': ']', '{': '}'}

// scanBrackets finds a bracket without its counterpart: the first that another kind closes, else the innermost at the end
// of the text; or the first that is nested deeper than limit. It knows as much of YAML as that takes: quotes, comments, and plain
// texts, which may hold brackets
// outside of lists and mappings in brackets.
func scanBrackets(text string, limit int) (bracket, bool) {
	var open []bracket
	line, start := 1, 0 // start: index of the line's first byte
	fresh := true       // a value may begin here
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			line, start, fresh = line+1, i+1, true
		case c == ' ' || c == '\r' || c == '\t':
		case c == '#' && (i == start || text[i-1] == ' '):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case fresh && (c == '"' || c == '\''):
			end := quoteEnd(text, i)
			line += strings.Count(text[i:end], "\n")
			if nl := strings.LastIndexByte(text[:end], '\n'); nl >= start {
				start = nl + 1
			}
			i, fresh = end-1, false
		case (c == '[' || c == '{') && (fresh || len(open) > 0):
			open, fresh = append(open, bracket{c, line, i - start + 1, len(open) + 1}), true
			if len(open) > limit {
				return open[limit], true
			}
		case (c == ']' || c == '}') && len(open) > 0:
			last := open[len(open)-1]
			if closer[last.open] != c {
				return last, true
			}
			open, fresh = open[:len(open)-1], false
		case c == ',' && len(open) > 0, (c == ':' || c == '-') && (i+1 == len(text) || strings.IndexByte(" \n", text[i+1]) >= 0):
			fresh = c != '-' || fresh
		default:
			fresh = false
		}
	}
	if len(open) == 0 {
		return bracket{}, false
	}
	return open[len(open)-1], true
}

// quoteEnd is the index behind the text in quotes that begins at i; the end of the text when it is not closed.
func quoteEnd(text string, i int) int {
	q := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && q == '"':
			i++
		case text[i] == q && q == '\'' && i+1 < len(text) && text[i+1] == q:
			i++
		case text[i] == q:
			return i + 1
		}
	}
	return len(text)
}

// lineOf is one line of a file, counted from 1.
func lineOf(data []byte, line int) string {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}
