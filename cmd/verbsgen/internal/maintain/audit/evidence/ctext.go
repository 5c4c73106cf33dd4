package main

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// ctext is a file of C as tokens, without comments and white space. It is laid out as the projects do: a definition outside of functions
// begins at the margin, and nothing inside of them does. Brackets are paired with all conditional lines; where these have more of one
// kind, the hash is of other text too.
type ctext struct {
	tokens []string
	margin []bool // the token's line begins at the margin
	line   []int  // index of the token that ends the directive, or -1 outside of directives
}

// endOfDirective is the token after a directive: there a line end counts.
const endOfDirective = "\n"

var (
	spliceRE = regexp.MustCompile(`\\[ \t]*\r?\n`)
	tokenRE  = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)|//[^\n]*|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|` +
		`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\s|.`)
	nameRE = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// readC splits a file into tokens.
func readC(data []byte) *ctext {
	t := &ctext{}
	start := -1 // of the directive that the scan is in
	newLine, margin := true, true
	for _, token := range append(tokenRE.FindAllString(spliceRE.ReplaceAllString(string(data), ""), -1), "\n") {
		switch {
		case token == "\n":
			if start >= 0 {
				t.add(endOfDirective, margin)
				for i := start; i < len(t.tokens); i++ {
					t.line[i] = len(t.tokens) - 1
				}
				start = -1
			}
			newLine, margin = true, true
		case strings.HasPrefix(token, "//"), strings.HasPrefix(token, "/*"):
		case strings.TrimSpace(token) == "":
			margin = margin && !newLine
		default:
			if token == "#" && newLine {
				start = len(t.tokens)
			}
			newLine = false
			t.add(token, margin)
		}
	}
	return t
}

func (t *ctext) add(token string, margin bool) {
	t.tokens, t.margin, t.line = append(t.tokens, token), append(t.margin, margin), append(t.line, -1)
}

// at returns a token, or "" outside of the file.
func (t *ctext) at(i int) string {
	if i < 0 || i >= len(t.tokens) {
		return ""
	}
	return t.tokens[i]
}

// hash returns the hash of all definitions of a name: functions, macros, structs, unions, enums and variables with a value. It is
// empty where there is none. One name has several definitions below #if.
func (t *ctext) hash(name string) string {
	sum := sha256.New()
	found := false
	for i, token := range t.tokens {
		if token != name {
			continue
		}
		if end := t.definition(i); end > i {
			found = true
			sum.Write([]byte(strings.Join(t.tokens[i:end], " ") + "\x00"))
		}
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// definition returns the end of the definition of the name at i, or 0 if none begins there.
func (t *ctext) definition(i int) int {
	if end := t.line[i]; end >= 0 {
		if t.at(i-1) == "define" && t.at(i-2) == "#" {
			return end
		}
		return 0
	}
	macro := t.at(i-1) == "(" && isMacro(t.at(i-2))
	if !t.margin[i] && !(macro && t.margin[i-2]) {
		return 0
	}
	switch next := t.at(i + 1); {
	case next == "{" && slices.Contains([]string{"struct", "union", "enum"}, t.at(i-1)):
		return t.closing(i + 1)
	case next == "(":
		return t.body(i + 1)
	case next == ")" && t.at(i+2) == "(" && t.at(i-1) == "(": // the name is made by a macro: HANDLER(NAME)(...)
		return t.body(i + 2)
	case macro && (next == "," || next == ")"): // SYMBOL(name, int, ...) {} or DECLARE(NAME, ...);
		if end := t.closing(i - 1); t.at(end) == ";" && isMacro(t.at(i)) {
			return end
		}
		return t.body(i - 1)
	}
	return t.value(i + 1)
}

func isMacro(name string) bool { return nameRE.MatchString(name) && strings.ToUpper(name) == name }

// isAttribute reports whether a name may be between a declaration and its body or value, as __init and __packed may.
func isAttribute(name string) bool {
	return nameRE.MatchString(name) && (strings.HasPrefix(name, "_") || isMacro(name))
}

// body returns the end of the function whose parameters open at i, or 0 if it is a declaration or a call.
func (t *ctext) body(i int) int {
	for i = t.closing(i); i > 0; {
		switch token := t.at(i); {
		case token == "{":
			return t.closing(i)
		case token == "(":
			i = t.closing(i)
		case !isAttribute(token) || t.line[i] >= 0:
			return 0
		default:
			i++
		}
	}
	return 0
}

// value returns the end of the initialiser of a variable whose name is before i, or 0.
func (t *ctext) value(i int) int {
	for i > 0 {
		switch token := t.at(i); {
		case token == "[" || token == "(":
			i = t.closing(i)
		case token == "=":
			for i < len(t.tokens) && t.tokens[i] != ";" {
				i = max(t.closing(i), i+1)
			}
			return i
		case !isAttribute(token) || t.line[i] >= 0:
			return 0
		default:
			i++
		}
	}
	return 0
}

// closing returns the index after the bracket that closes the one at i, or 0 if none does.
func (t *ctext) closing(i int) int {
	open := t.at(i)
	shut := map[string]string{"(": ")", "[": "]", "{": "}"}[open]
	for depth, j := 0, i; j < len(t.tokens) && shut != ""; j++ {
		switch {
		case t.line[j] >= 0:
		case t.tokens[j] == open:
			depth++
		case t.tokens[j] == shut:
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return 0
}
