package emit

import (
	"go/scanner"
	"go/token"
	"strings"
)

// settle makes the parts of a broken line what gofmt makes of them: with a tab more for each list or expression around a part that is
// broken before it, and with the keys of elements on lines of their own in columns. It reports false where it does not know what gofmt
// does. Before is the line before.
func settle(parts []string, before string) bool {
	for operator := range breakable {
		if strings.HasSuffix(before, operator.String()) {
			return false
		}
	}
	text := strings.Join(parts, "\n")
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	b := settler{text: text, parts: parts, levels: make([]level, 1, 16), columns: make([]bool, len(parts))}
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return b.ends() && b.align()
		case tok == token.SEMICOLON && lit == "\n":
		case !b.add(file.Offset(pos), tok, lit):
			return false
		}
	}
}

// breakable are the operators that breakLine breaks a line after.
var breakable = map[token.Token]bool{token.LAND: true, token.LOR: true, token.OR: true, token.ADD: true}

// level is what is inside of a pair of brackets, or of none.
type level struct {
	open     token.Token
	block    bool        // statements
	list     bool        // it is broken after a comma
	operator token.Token // that the expression at hand is broken after, in its right side; 0: none
	elements int         // since the last break
	pair     bool        // the element at hand has a key
	broken   bool        // it is broken
	plain    bool        // the element before has a key and is not broken
	column   int         // the part that it begins, if its key may be in a column with that of the part before; else 0
}

// settler follows the tokens of a broken line.
type settler struct {
	text    string
	parts   []string
	part    int // that of the last token
	levels  []level
	columns []bool      // of each part: its key is in a column with that of the part before
	at      int         // the end of the last token
	last    token.Token // the last token
}

// add reports whether it is known what gofmt does at a token.
func (b *settler) add(at int, tok token.Token, lit string) bool {
	if strings.Contains(b.text[b.at:at], "\n") && !b.breaks() {
		return false
	}
	end := at + len(tok.String())
	if tok.IsLiteral() {
		end = at + len(lit)
	}
	b.at, b.last = end, tok
	top := &b.levels[len(b.levels)-1]
	switch tok {
	case token.COMMENT:
		return false
	case token.LPAREN, token.LBRACE, token.LBRACK:
		b.levels = append(b.levels, level{open: tok, block: strings.HasPrefix(b.text[end:], " ")})
	case token.RPAREN, token.RBRACE, token.RBRACK:
		top.endElement(b.columns)
		b.levels = b.levels[:len(b.levels)-1]
		return len(b.levels) > 0
	case token.COMMA:
		top.endElement(b.columns)
		top.elements++
	case token.COLON:
		top.pair = true
	default:
		if p := tok.Precedence(); p > 0 && p <= top.operator.Precedence() {
			top.operator = 0 // its right side ends here
		}
	}
	return true
}

// endElement is called at the end of each element, and decides whether its key is in a column.
func (l *level) endElement(columns []bool) {
	l.plain = l.pair && !l.broken
	columns[l.column] = l.column > 0 && l.plain
	l.operator, l.pair, l.broken, l.column = 0, false, false, 0
}

// breaks is called at a break after the last token.
func (b *settler) breaks() bool {
	top := &b.levels[len(b.levels)-1]
	b.part++
	if b.last == token.COMMA {
		if len(b.levels) == 1 {
			return false
		}
		if top.list && top.plain && top.elements == 1 {
			top.column = b.part
		}
		top.list, top.elements = true, 0
	} else {
		texts := top.open == token.LBRACE || len(b.levels) == 1 && top.elements == 0 // where gofmt writes " + "
		if top.operator != 0 || b.last == token.ADD && !texts {
			return false
		}
		top.operator, top.broken = b.last, true
	}
	tabs := 0
	for i := range b.levels {
		l := &b.levels[i]
		if l.block {
			return false
		}
		l.broken = l.broken || i < len(b.levels)-1
		if l.list {
			tabs++
		}
		if l.operator != 0 {
			tabs++
		}
	}
	b.parts[b.part] = strings.Repeat("\t", tabs-1) + b.parts[b.part]
	return true
}

// ends reports whether what follows the line is not inside of what is broken.
func (b *settler) ends() bool {
	if b.last == token.LBRACE {
		b.levels = b.levels[:len(b.levels)-1]
		return len(b.levels) == 1 && (b.levels[0].operator == 0 || strings.HasPrefix(strings.TrimLeft(b.text, "\t"), "if "))
	}
	return len(b.levels) == 1 && !breakable[b.last]
}

// align writes keys in columns. Long keys may be left out of columns.
func (b *settler) align() bool {
	for begin := 1; begin < len(b.parts); {
		end, width := begin+1, len(keyOf(b.parts[begin]))
		for end < len(b.parts) && b.columns[end] {
			width = max(width, len(keyOf(b.parts[end])))
			end++
		}
		for i := begin; i < end && end > begin+1; i++ {
			k := keyOf(b.parts[i])
			b.parts[i] = k + strings.Repeat(" ", width-len(k)) + b.parts[i][len(k):]
			if width > 40 {
				return false
			}
		}
		begin = end
	}
	return true
}

// keyOf is the begin of a line to the colon of its key.
func keyOf(line string) string {
	k, _, _ := strings.Cut(line, ":")
	return k + ":"
}
