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

// tidy puts the imports of a formatted file in two groups, and breaks long lines. Only declarations where that changes more than the lines
// that are broken are formatted again.
func tidy(src []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(src) + len(src)/16)
	for decl := range declarations(groupImports(string(src))) {
		for _, whole := range []func(string) string{withoutColumns, madeLong} { // columns are narrower when long lines have been broken
			text, formatted := breakLines(decl, whole)
			if !formatted {
				again, err := format.Source([]byte(text))
				if err != nil {
					return nil, err
				}
				text = string(again)
			}
			decl = text
		}
		out.WriteString(decl)
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

// breakLines breaks the lines of a declaration that are too long when whole has been applied to them. It reports whether what it returns is
// formatted.
func breakLines(decl string, whole func(string) string) (text string, formatted bool) {
	var out strings.Builder
	done, before := 0, ""
	formatted = true
	for at := 0; at < len(decl); {
		line, _, _ := strings.Cut(decl[at:], "\n")
		if len(line) > lineLimit {
			if parts := breakLine(whole(line)); len(parts) > 1 {
				settled := settle(parts, before)
				formatted = formatted && settled
				out.WriteString(decl[done:at])
				out.WriteString(strings.Join(parts, "\n"))
				done = at + len(line)
			}
		}
		at, before = at+len(line)+1, line
	}
	if done == 0 {
		return decl, true
	}
	out.WriteString(decl[done:])
	return out.String(), formatted && !aligned(decl)
}

// withoutColumns returns a line with a space in place of those that align what is before the first text.
func withoutColumns(line string) string {
	for {
		at := strings.Index(line, "  ")
		if at < 0 || strings.ContainsAny(line[:at], "\"`'") {
			return line
		}
		line = line[:at] + line[at+1:]
	}
}

// madeLong returns a line that is too long because it is aligned; nothing for one that was broken and has become a little longer.
func madeLong(line string) string {
	if len(line) > maxLine || !strings.Contains(line, ":  ") && withoutColumns(line) != line {
		return line
	}
	return ""
}

// aligned reports whether a declaration has text in columns, which a line that is broken may be part of.
func aligned(decl string) bool {
	for line := range strings.SplitSeq(decl, "\n") {
		if !strings.HasPrefix(line, "//") && strings.Contains(line, "  ") {
			return true
		}
	}
	return false
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
