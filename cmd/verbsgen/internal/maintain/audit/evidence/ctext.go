package main

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// ctext is a file of C as tokens, without comments and white space. Braces are paired although conditional lines may have
// more of one kind: each #else begins at the depth of its #if.
type ctext struct {
	tokens []string
	depth  []int // of braces before the token; that of extern "C" does not count
	line   []int // index of the token that ends the directive, or -1 outside of directives
}

// endOfDirective is the token after a directive: there a line end counts.
const endOfDirective = "\n"

var (
	spliceRE = regexp.MustCompile(`\\[ \t]*\r?\n`)
	tokenRE  = regexp.MustCompile(`(?s)^(?:[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|.)`)
	nameRE   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// readC splits a file into tokens.
func readC(data []byte) *ctext {
	t := &ctext{}
	rest := spliceRE.ReplaceAllString(string(data), "")
	start := -1 // of the directive that the scan is in
	newLine := true
	for len(rest) > 0 {
		switch {
		case strings.HasPrefix(rest, "/*"):
			_, after, _ := strings.Cut(rest[2:], "*/")
			rest = after
			continue
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			rest = rest[end:]
			continue
		case rest[0] == '\n':
			if start >= 0 {
				t.endDirective(start)
				start = -1
			}
			newLine, rest = true, rest[1:]
			continue
		case strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			rest = rest[1:]
			continue
		}
		token := tokenRE.FindString(rest)
		if token == "#" && newLine {
			start = len(t.tokens)
		}
		newLine = false
		t.add(token)
		rest = rest[len(token):]
	}
	if start >= 0 {
		t.endDirective(start)
	}
	t.pair()
	return t
}

func (t *ctext) add(token string) {
	t.tokens, t.line = append(t.tokens, token), append(t.line, -1)
}

// endDirective marks the tokens from start on as one directive.
func (t *ctext) endDirective(start int) {
	t.add(endOfDirective)
	for i := start; i < len(t.tokens); i++ {
		t.line[i] = len(t.tokens) - 1
	}
}

// pair computes the depths.
func (t *ctext) pair() {
	var open []bool  // braces; false is that of extern "C"
	var ifs [][]bool // open at the #if lines that have no #endif yet
	t.depth = make([]int, len(t.tokens))
	for i := 0; i < len(t.tokens); i++ {
		depth := 0
		for _, counts := range open {
			if counts {
				depth++
			}
		}
		t.depth[i] = depth
		switch {
		case t.line[i] >= 0:
			open, ifs = branch(t.at(i+1), open, ifs)
			for ; i < t.line[i]; i++ {
				t.depth[i+1] = depth
			}
		case t.tokens[i] == "{":
			open = append(open, depth > 0 || t.at(i-2) != "extern" || !strings.HasPrefix(t.at(i-1), `"`))
		case t.tokens[i] == "}" && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
}

// branch applies a directive to the braces that are open.
func branch(directive string, open []bool, ifs [][]bool) ([]bool, [][]bool) {
	last := len(ifs) - 1
	switch directive {
	case "if", "ifdef", "ifndef":
		ifs = append(ifs, slices.Clone(open))
	case "else", "elif":
		if last >= 0 {
			open = slices.Clone(ifs[last])
		}
	case "endif":
		ifs = ifs[:max(last, 0)]
	}
	return open, ifs
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
	if t.depth[i] > 0 {
		return 0
	}
	switch next := t.at(i + 1); {
	case next == "{" && slices.Contains([]string{"struct", "union", "enum"}, t.at(i-1)):
		return t.closing(i + 1)
	case next == "(":
		return t.body(i + 1)
	case next == ")" && t.at(i+2) == "(" && t.at(i-1) == "(": // the name is made by a macro: HANDLER(NAME)(...)
		return t.body(i + 2)
	case t.at(i-1) == "(" && isMacro(t.at(i-2)) && (next == "," || next == ")"): // SYMBOL(name, int, ...) {} or DECLARE(NAME, ...);
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
			for ; i < len(t.tokens) && (t.tokens[i] != ";" || t.depth[i] > 0); i++ {
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
	if open == "{" { // of braces the depth is known
		for j := i + 1; j < len(t.tokens); j++ {
			if t.tokens[j] == "}" && t.line[j] < 0 && t.depth[j] == t.depth[i]+1 && t.closes(i, j) {
				return j + 1
			}
		}
		return 0
	}
	shut := map[string]string{"(": ")", "[": "]"}[open]
	for depth, j := 0, i; j < len(t.tokens); j++ {
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

// closes reports whether the brace at j, one deeper than that at i, is the last that closes it: another one does where an #else
// follows and begins at the depth of its #if.
func (t *ctext) closes(i, j int) bool {
	for j++; j < len(t.tokens); j++ {
		if t.line[j] < 0 {
			return t.depth[j] <= t.depth[i]
		}
	}
	return true
}
