package spec

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// isExported reports whether a text is an exported Go name.
func isExported(name string) bool {
	return token.IsExported(name) && token.IsIdentifier(name) && !strings.ContainsFunc(name, invisible)
}

// What is said of another, and of what one is.
const (
	notExported = "is not an exported Go identifier"
	exportedFix = "begin with a capital letter, then letters and digits"
)

// goType checks the key of a flag type, an enum type, a record or an object.
func (d *decoder) goType(k *yaml.Node, name string) {
	if !isExported(name) {
		d.add(k, CodeGoName, name, show(name)+" "+notExported, exportedFix)
	}
}

// local reads a text that becomes the Go name of a parameter.
func (d *decoder) local(to *string) reader {
	return func(n *yaml.Node, at place) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		switch {
		case token.IsKeyword(s):
			d.add(n, CodeGoName, at.subject, at.key+": "+s+" is a Go keyword", "choose another name")
		case types.Universe.Lookup(s) != nil:
			d.add(n, CodeGoName, at.subject, at.key+": "+s+" is a predeclared name of Go", "choose another name")
		case !token.IsIdentifier(s) || strings.ContainsFunc(s, invisible) || !unicode.IsLower([]rune(s)[0]):
			d.add(n, CodeGoName, at.subject, at.key+": "+show(s)+" cannot be the Go name of a parameter",
				"begin with a lower-case letter, then letters and digits")
		default:
			*to = s
		}
	}
}

// goMethod checks the key of a method: its receiver, a dot and its name. One without a dot is for those who know the receivers.
func (d *decoder) goMethod(k *yaml.Node, name string) {
	recv, method, dotted := strings.Cut(name, ".")
	if !dotted {
		return
	}
	for _, part := range []string{recv, method} {
		if !isExported(part) {
			d.add(k, CodeGoName, name, show(part)+" "+notExported, "write it like PD.RegMR")
			return
		}
	}
}

// legible notes a character of a text that is not to be seen, or that moves what stands around it: a control character, a mark
// of direction, a blank of another width. A text becomes a comment, a message or a name.
func (d *decoder) legible(n *yaml.Node, at place, s string) bool {
	for _, r := range s {
		if r == '\n' || !invisible(r) {
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		d.add(n, CodeValue, at.subject, at.key+" contains the invisible character "+q[1:len(q)-1], "remove it")
		return false
	}
	return true
}

// invisible reports whether a character cannot be seen. Some of these are letters, such as U+3164.
func invisible(r rune) bool {
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
