package cgen

import (
	"fmt"
	"strings"
)

// shape is how a C type is put together.
type shape int

const (
	formBase  shape = iota // a name: "unsigned int", "uint64_t", "struct ibv_mr"
	formPtr                // pointer to elem
	formArray              // array of elem
	formFunc               // function that returns elem
)

// ctype is a C type taken apart.
type ctype struct {
	form     shape
	name     string // formBase: without qualifiers
	quals    string // "const" and the like, of a base or of a pointer itself
	elem     *ctype
	count    string // formArray: number of elements as written, empty for a flexible array
	params   []cparam
	variadic bool
}

// cparam is one parameter of a function type.
type cparam struct {
	name string
	typ  *ctype
}

// parseType takes the C text of a type without a name apart: "const void *", "int (*)(struct ibv_dm *, size_t)".
func parseType(text string) (*ctype, error) {
	toks, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &typeParser{text: text, toks: toks}
	t, err := p.full()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.toks) {
		return nil, p.fail("unexpected %q", p.toks[p.at])
	}
	return t, nil
}

// tokens splits the text of a type. A made-up tag of an anonymous record ("struct ibv_wc.<anonymous 1>") is one token.
func tokens(text string) ([]string, error) {
	var toks []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			i++
		case strings.HasPrefix(text[i:], "..."):
			toks = append(toks, "...")
			i += 3
		case strings.IndexByte("*()[],", c) >= 0:
			toks = append(toks, string(c))
			i++
		case isWord(c):
			n := wordEnd(text, i)
			toks = append(toks, text[i:n])
			i = n
		default:
			return nil, fmt.Errorf("type %q: unexpected %q", text, c)
		}
	}
	return toks, nil
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '<' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func wordEnd(text string, i int) int {
	for i < len(text) && isWord(text[i]) {
		if text[i] == '<' {
			end := strings.IndexByte(text[i:], '>')
			if end < 0 {
				return len(text)
			}
			i += end
		}
		i++
	}
	return i
}

type typeParser struct {
	text string
	toks []string
	at   int
}

func (p *typeParser) fail(format string, args ...any) error {
	return fmt.Errorf("type %q: %s", p.text, fmt.Sprintf(format, args...))
}

func (p *typeParser) peek() string {
	if p.at < len(p.toks) {
		return p.toks[p.at]
	}
	return ""
}

func (p *typeParser) take(tok string) bool {
	if p.peek() != tok {
		return false
	}
	p.at++
	return true
}

func (p *typeParser) full() (*ctype, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	wrap, err := p.declarator()
	if err != nil {
		return nil, err
	}
	return wrap(base), nil
}

func isQual(tok string) bool {
	switch tok {
	case "const", "volatile", "restrict", "__restrict", "_Atomic":
		return true
	}
	return false
}

// base reads the specifiers: qualifiers, and either a tag with its keyword or words of a type name.
func (p *typeParser) base() (*ctype, error) {
	var quals, words []string
	for p.at < len(p.toks) && isWord(p.toks[p.at][0]) && p.toks[p.at] != "..." {
		tok := p.toks[p.at]
		if isQual(tok) {
			quals = append(quals, tok)
		} else {
			words = append(words, tok)
		}
		p.at++
	}
	if len(words) == 0 {
		return nil, p.fail("no type name")
	}
	return &ctype{form: formBase, name: strings.Join(words, " "), quals: strings.Join(quals, " ")}, nil
}

// declarator reads an abstract declarator; the result applies it to the type on its left.
func (p *typeParser) declarator() (func(*ctype) *ctype, error) {
	var ptrs []string
	for p.take("*") {
		var quals []string
		for isQual(p.peek()) {
			quals = append(quals, p.peek())
			p.at++
		}
		ptrs = append(ptrs, strings.Join(quals, " "))
	}
	inner := func(t *ctype) *ctype { return t }
	if p.peek() == "(" && p.at+1 < len(p.toks) && p.toks[p.at+1] == "*" {
		p.at++
		var err error
		if inner, err = p.declarator(); err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, p.fail("no ) after the pointer")
		}
	}
	suffixes, err := p.suffixes()
	if err != nil {
		return nil, err
	}
	return func(t *ctype) *ctype {
		for _, q := range ptrs {
			t = &ctype{form: formPtr, elem: t, quals: q}
		}
		for i := len(suffixes) - 1; i >= 0; i-- {
			s := suffixes[i]
			s.elem = t
			t = &s
		}
		return inner(t)
	}, nil
}

// suffixes reads array bounds and parameter lists.
func (p *typeParser) suffixes() ([]ctype, error) {
	var list []ctype
	for {
		switch {
		case p.take("["):
			s := ctype{form: formArray}
			if p.peek() != "]" {
				s.count = p.peek()
				p.at++
			}
			if !p.take("]") {
				return nil, p.fail("no ] after the array bound")
			}
			list = append(list, s)
		case p.take("("):
			s, err := p.parameters()
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		default:
			return list, nil
		}
	}
}

func (p *typeParser) parameters() (ctype, error) {
	f := ctype{form: formFunc}
	if p.take(")") {
		return f, nil
	}
	for {
		if p.take("...") {
			f.variadic = true
		} else {
			t, err := p.full()
			if err != nil {
				return f, err
			}
			if t.form != formBase || t.name != "void" {
				f.params = append(f.params, cparam{typ: t})
			}
		}
		if p.take(")") {
			return f, nil
		}
		if !p.take(",") {
			return f, p.fail("no ) after the parameters")
		}
	}
}

// declare writes the declaration of name as type t; an empty name gives the type itself.
func (t *ctype) declare(name string) string {
	switch t.form {
	case formPtr:
		s := "*"
		if t.quals != "" {
			s += t.quals
			if name != "" {
				s += " "
			}
		}
		s += name
		if t.elem.form == formArray || t.elem.form == formFunc {
			s = "(" + s + ")"
		}
		return t.elem.declare(s)
	case formArray:
		return t.elem.declare(name + "[" + t.count + "]")
	case formFunc:
		return t.elem.declare(name + "(" + t.paramText() + ")")
	}
	s := t.name
	if t.quals != "" {
		s = t.quals + " " + s
	}
	if name != "" && name[0] == '[' {
		return s + name
	}
	if name != "" {
		s += " " + name
	}
	return s
}

func (t *ctype) paramText() string {
	var parts []string
	for _, p := range t.params {
		parts = append(parts, p.typ.declare(p.name))
	}
	if t.variadic {
		parts = append(parts, "...")
	}
	if len(parts) == 0 {
		return "void"
	}
	return strings.Join(parts, ", ")
}

// names calls fn for each base type that t mentions; byValue reports whether t holds one (not just a pointer to it).
func (t *ctype) names(byValue bool, fn func(base string, byValue bool)) {
	switch t.form {
	case formBase:
		fn(t.name, byValue)
	case formArray:
		t.elem.names(byValue, fn)
	default:
		t.elem.names(false, fn)
		for _, p := range t.params {
			p.typ.names(false, fn)
		}
	}
}

// innermost is the base under pointers, arrays and results of functions.
func (t *ctype) innermost() *ctype {
	for t.form != formBase {
		t = t.elem
	}
	return t
}
