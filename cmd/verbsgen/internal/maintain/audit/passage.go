package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRun is how many consecutive pieces one passage may span.
const maxRun = 8

// section is one section of a page: its pieces in order. A piece is a sentence, a list tag, or a line of text that
// is not filled; it is normalised, and never empty.
type section struct {
	name   string
	pieces []string
}

// Passage is one candidate for the passage of a rule: a run of consecutive pieces of one section.
type Passage struct {
	Section string
	First   int // number of the first piece in the section, from 1
	Last    int
	Hash    string
	Text    string // normalised; the page's words, so it is for the author's eyes only
}

// Hash returns the hash of a passage's normalised text: 16 hexadecimal digits of its SHA-256.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// passages returns all runs of at most longest pieces of each section.
func passages(sections []section, longest int) []Passage {
	var out []Passage
	for _, s := range sections {
		for i := range s.pieces {
			text := ""
			for j := i; j < len(s.pieces) && j < i+longest; j++ {
				text = join(text, s.pieces[j])
				out = append(out, Passage{Section: s.name, First: i + 1, Last: j + 1, Hash: Hash(text), Text: text})
			}
		}
	}
	return out
}

// parse splits a rendered page into sections and pieces.
func parse(rendered string) []section {
	lines := bodyLines(rendered)
	var out []section
	open := "" // the beginning of a filled line that the tool broke
	flush := func() {
		if open == "" {
			return
		}
		if len(out) == 0 {
			out = append(out, section{})
		}
		s := &out[len(out)-1]
		s.pieces = append(s.pieces, sentences(open)...)
		open = ""
	}
	for _, line := range lines {
		text := normalise(line)
		if text == "" {
			flush()
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			flush()
			out = append(out, section{name: text})
			continue
		}
		open = join(open, text)
		// A line that reaches near the full width was broken by the tool: the next one continues it.
		if utf8.RuneCountInString(line) < lineWidth-150 {
			flush()
		}
	}
	flush()
	return out
}

// bodyLines drops typewriter effects, and the page's header and footer: its first and last lines with text.
func bodyLines(rendered string) []string {
	lines := strings.Split(strip(rendered), "\n")
	first, last := -1, -1
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
		if lines[i] != "" {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if last <= first {
		return nil
	}
	return lines[first+1 : last]
}

// strip removes overstriking ("x BACKSPACE x") and escape sequences of terminals.
func strip(s string) string {
	var out []rune
	escape := false
	for _, r := range s {
		switch {
		case escape:
			// A control sequence ends with a letter; "[" opens it.
			escape = !unicode.IsLetter(r)
		case r == '\x1b':
			escape = true
		case r == '\b':
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, r)
		}
	}
	return string(out)
}

// alike maps what tools and their versions print differently to one form.
var alike = strings.NewReplacer(
	"``", `"`, "\u2018", "'", "\u2019", "'", "\u201a", "'", "\u00b4", "'", "`", "'",
	"\u201c", `"`, "\u201d", `"`, "''", `"`,
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-", "\u00ad", "",
	"\u02c6", "^", "\u02dc", "~", "\u223c", "~",
	"\u27e8", "<", "\u27e9", ">", "\u2329", "<", "\u232a", ">",
	"\u2022", " ", "\u00b7", " ", "\u25cf", " ", "\u25aa", " ", "\u2219", " ",
	"\u00a0", " ", "\u2009", " ", "\u200b", "",
	"\u2026", "...", "\ufb01", "fi", "\ufb02", "fl",
)

// normalise returns text with plain quotes and hyphens, without bullets, and with single spaces.
func normalise(s string) string {
	words := strings.Fields(alike.Replace(s))
	kept := words[:0]
	for _, w := range words {
		// "o" and "+o" are the bullets of plain terminals.
		if w == "o" || w == "+o" || w == "*" {
			continue
		}
		kept = append(kept, w)
	}
	return strings.Join(kept, " ")
}

// join puts two normalised texts together as if no line had been broken between them.
func join(a, b string) string {
	if a == "" {
		return b
	}
	if n := len(a); n > 1 && a[n-1] == '-' && isWord(a[n-2]) && b != "" && isWord(b[0]) {
		return a + b
	}
	return a + " " + b
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// sentences splits normalised text after full stops, colons, semicolons and the like that a space follows. A split
// in the wrong place does no harm: passages are runs of pieces.
func sentences(s string) []string {
	var out []string
	start := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i+1] == ' ' && strings.IndexByte(".?!:;", s[i]) >= 0 && i >= start {
			out = append(out, s[start:i+1])
			start = i + 2
		}
	}
	return append(out, s[start:])
}
