package gogen

import (
	"strings"
	"text/template"

	"github.com/verbsgen/verbsgen/templates"
)

// This file has doc comments and their English, most of which is in templates/docs.tmpl.

// english has the texts of generated doc comments.
var english = template.Must(template.New("docs").Option("missingkey=error").Parse(templates.Docs))

// words are what a text is filled in with.
type words map[string]string

// say returns a text of generated doc comments.
func say(name string, with words) string {
	var b strings.Builder
	if err := english.ExecuteTemplate(&b, name, with); err != nil {
		panic("internal error: templates/docs.tmpl: " + err.Error())
	}
	var paragraphs []string
	for p := range strings.SplitSeq(strings.TrimSpace(b.String()), "\n\n") {
		paragraphs = append(paragraphs, strings.Join(strings.Fields(p), " "))
	}
	return strings.Join(paragraphs, "\n\n")
}

// says is a comment with a text of templates/docs.tmpl.
func says(name string, with words) string { return comment(say(name, with)) }

// doc is the comment of an exported symbol: what it does, then the C name and the page.
func doc(name, does, c, pg string, more ...string) string {
	text := name + " " + does
	if does != "" && does[len(does)-1] != '.' {
		text += "."
	}
	for _, m := range more {
		if m != "" {
			text += "\n\n" + m
		}
	}
	if c != "" {
		text += "\n\nC: " + c
		if pg != "" {
			text += ", " + pg + "(3)"
		}
		text += "."
	}
	return comment(text)
}

// comment wraps a doc text at about 110 columns and marks each line with //. A line that begins with "- " after white
// space is an item of a list.
func comment(text string) string {
	var out []string
	for _, para := range strings.Split(strings.TrimSpace(text), "\n") {
		first, next := "//", "//"
		if strings.HasPrefix(strings.TrimSpace(para), "- ") && para[0] == ' ' {
			first, next = "//  ", "//    "
		}
		line := first
		for _, w := range strings.Fields(para) {
			if len(line)+1+len(w) > 112 && line != first {
				out = append(out, line)
				line = next
			}
			line += " " + w
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// sentence makes a doc sentence of a text that begins in lower case and has no full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
