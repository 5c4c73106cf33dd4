package emit

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// breakEarly breaks long lines of Go that is not formatted yet, where formatting changes only white space in a way that is known: lines of
// calls and literals without operators. Most of the long lines are such: the table of rules and its test. The others are broken after
// formatting, by tidy, which has to format their declarations a second time.
func breakEarly(src []byte) []byte {
	var out strings.Builder
	out.Grow(len(src) + len(src)/16)
	depth := 0 // of the brackets that earlier lines left open
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		opens := strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(")
		if strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") {
			depth--
		}
		if len(line) > lineLimit*3/4 && depth >= 0 && !opens {
			if spaced := spaced(line); len(spaced)+depth > lineLimit {
				line = strings.Join(breakLine(strings.Repeat("\t", depth)+spaced), "\n")
			}
		}
		out.WriteString(line)
		out.WriteByte('\n')
		if opens {
			depth++
		}
	}
	return []byte(out.String())
}

// spaced returns a line with the white space that gofmt writes; nothing for a line with more than calls, literals, functions of one return
// and one assignment.
func spaced(line string) string {
	var s scanner.Scanner
	bad := false
	file := token.NewFileSet().AddFile("", -1, len(line))
	s.Init(file, []byte(line), func(token.Position, string) { bad = true }, scanner.ScanComments)
	w := spacer{out: make([]byte, 0, len(line)+len(line)/4), before: token.SEMICOLON, body: noBody}
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF && !bad && !w.head:
			return strings.TrimRight(string(w.out), " ")
		case tok == token.SEMICOLON && lit == "\n":
		case tok == token.EOF || !w.add(tok, lit):
			return ""
		}
	}
}

// spacer writes the tokens of a line.
type spacer struct {
	out    []byte
	before token.Token
	dotted bool // it is the name behind a dot
	depth  int  // of braces
	body   int  // the depth of the body of a function
	head   bool // between func and its body
}

const noBody = -1 << 31

// add writes a token, and reports whether it is known what white space belongs to it.
func (w *spacer) add(tok token.Token, lit string) (ok bool) {
	text, ok := tok.String(), true
	switch tok {
	case token.COMMA, token.COLON:
		text += " "
	case token.ASSIGN, token.DEFINE:
		text = " " + text + " "
	case token.VAR:
		text += " "
	case token.AND, token.SUB, token.MUL: // before an operand; between two it is another matter
		ok = slices.Contains([]token.Token{token.COMMA, token.COLON, token.LPAREN, token.LBRACE, token.RBRACK}, w.before)
	case token.LBRACE:
		w.depth++
	case token.RBRACE:
		if w.depth == w.body {
			text, w.body = " }", noBody
		}
		w.depth--
	case token.FUNC:
		ok = w.before == token.COLON && !w.head && w.body == noBody
		w.head = true
	case token.RETURN: // func(v uint64) string { return f(v) }
		if ok = w.before == token.LBRACE && w.head; ok {
			w.body, w.head = w.depth, false
			w.out, text = w.out[:len(w.out)-1], " { return "
		}
	case token.LPAREN:
		ok = w.before != token.RPAREN // results
	case token.LBRACK:
		ok = w.before != token.RPAREN && (w.before != token.IDENT || w.dotted) // not what may be a name and a type
	case token.RBRACK:
		ok = w.before != token.COLON // a part of a slice
	case token.PERIOD, token.RPAREN:
	case token.IDENT, token.INT, token.STRING:
		if text = lit; w.before == token.IDENT || w.before == token.RPAREN {
			text = " " + lit
		}
	default:
		ok = false
	}
	w.out, w.before, w.dotted = append(w.out, text...), tok, w.before == token.PERIOD
	return ok
}
