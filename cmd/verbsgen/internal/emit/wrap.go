package emit

import (
	"bytes"
	"go/format"
	"go/scanner"
	"go/token"
	"iter"
	"strings"
)

// lineLimit is the greatest length of a line of generated Go, as far as it can be broken. Formatting may add some columns, to maxLine.
const (
	lineLimit = 136
	maxLine   = 140
)

// tidy puts the imports of a formatted file in two groups, and breaks long lines. Only the declarations that have such lines are formatted
// again.
func tidy(src []byte) ([]byte, error) {
	var out bytes.Buffer
	for decl := range declarations(groupImports(string(src))) {
		lines := breakLines(decl)
		if lines == nil {
			out.WriteString(decl)
			continue
		}
		formatted, err := format.Source([]byte(strings.Join(lines, "\n")))
		if err != nil {
			return nil, err
		}
		out.Write(formatted)
	}
	return out.Bytes(), nil
}

// declarations splits a formatted file before the empty line that precedes a declaration or its comment. Nothing that gofmt aligns goes
// across an empty line. The comment must not be the first line of a text, as gofmt takes it for one of a package then.
func declarations(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin := 0
		for at := 0; ; {
			next := strings.Index(text[at:], "\n\n")
			if next < 0 {
				yield(text[begin:])
				return
			}
			at += next + len("\n")
			if startsDeclaration(text[at+1:]) {
				if !yield(text[begin:at]) {
					return
				}
				begin = at
			}
		}
	}
}

// startsDeclaration reports whether a line begins a declaration: in formatted code, all else that follows an empty line is indented.
func startsDeclaration(line string) bool {
	for _, word := range []string{"//", "func ", "type ", "var ", "const "} {
		if strings.HasPrefix(line, word) {
			return true
		}
	}
	return false
}

// breakLines returns the lines of a text with those broken that are too long; nil if none was.
func breakLines(text string) (lines []string) {
	broken := false
	for line := range strings.SplitSeq(text, "\n") {
		parts := []string{line}
		if len(line) > maxLine || !brokenEarly(line) {
			parts = breakLine(line)
		}
		broken = broken || len(parts) > 1
		lines = append(lines, parts...)
	}
	if !broken {
		return nil
	}
	return lines
}

// brokenEarly reports whether a line looks as breakEarly and formatting leave a part of a line: a text that goes on, or a key whose value
// was aligned.
func brokenEarly(line string) bool {
	return strings.HasSuffix(line, `" +`) || strings.Contains(line, ":  ")
}

// groupImports puts the packages of the standard library before the others, with an empty line between them.
func groupImports(text string) string {
	const begin, end = "\nimport (\n", "\n)\n"
	head, rest, ok := strings.Cut(text, begin)
	list, body, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return text
	}
	var std, other []string
	for line := range strings.SplitSeq(list, "\n") {
		_, path, _ := strings.Cut(line, `"`)
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			other = append(other, line)
		} else if path != "" {
			std = append(std, line)
		}
	}
	if len(std) > 0 && len(other) > 0 {
		std = append(std, "")
	}
	return head + begin + strings.Join(append(std, other...), "\n") + end + body
}

// breakLine breaks a line of Go that is too long.
func breakLine(line string) []string {
	var out []string
	for len(line) > lineLimit {
		at, add := breakAt(line)
		if at == 0 {
			break
		}
		out = append(out, strings.TrimRight(line[:at], " ")+add)
		if add != "" {
			out[len(out)-1] = line[:at] + add
			line = line[:at] + `"` + line[at:]
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		if len(out) == 1 {
			indent += "\t"
		}
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	return append(out, line)
}

// breakAt is where a line is broken, 0 for nowhere: after a comma or an operator that joins, the outermost one, and of several the last
// that fits. A text that is too long is broken after a space, and add ends its first part.
func breakAt(line string) (at int, add string) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(line))
	s.Init(file, []byte(line), nil, scanner.ScanComments)
	depth, least := 0, 0
	for {
		pos, tok, lit := s.Scan()
		offset := file.Offset(pos)
		switch tok {
		case token.EOF, token.COMMENT:
			return at, ""
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.ASSIGN, token.DEFINE:
			if depth == 0 {
				at = 0 // not between variables that are set
			}
		case token.STRING:
			if space := strings.LastIndexByte(line[:min(lineLimit, offset+len(lit))], ' ') + 1; at == 0 && offset+len(lit) > lineLimit &&
				space > offset+1 {
				return space, `" +`
			}
		case token.COMMA, token.LAND, token.LOR, token.OR:
			end := offset + len(tok.String())
			if end > lineLimit && at > 0 || strings.TrimSpace(line[end:]) == "" {
				return at, ""
			}
			if rank := 2*depth + weight(tok, end); at == 0 || rank <= least {
				at, least = end, rank
			}
		}
	}
}

// weight ranks the places where a line may be broken, the better one lower: not in the middle of flags, nor at the begin of the line.
func weight(tok token.Token, column int) (w int) {
	if tok == token.OR {
		w++
	}
	if column < lineLimit/3 {
		w += 4
	}
	return w
}
