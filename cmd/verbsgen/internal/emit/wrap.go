package emit

import (
	"go/format"
	"go/scanner"
	"go/token"
	"strings"
)

// lineLimit is the greatest length of a line of generated Go, as far as it can be broken. Formatting may add some columns to 140.
const lineLimit = 136

// tidy puts the imports of a formatted file in two groups, and breaks long lines.
func tidy(src []byte) ([]byte, error) {
	text := groupImports(string(src))
	var out []string
	broken := false
	for line := range strings.SplitSeq(text, "\n") {
		parts := breakLine(line)
		broken = broken || len(parts) > 1
		out = append(out, parts...)
	}
	if !broken {
		return []byte(text), nil
	}
	return format.Source([]byte(strings.Join(out, "\n")))
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
