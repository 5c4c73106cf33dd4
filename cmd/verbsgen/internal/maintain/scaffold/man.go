package scaffold

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// Man has the man pages of a folder, as roff or, in the source of rdma-core, as Markdown.
type Man struct {
	text map[string]string // name of the page -> text
	page map[string]string // function -> page: that of its own name, or the one that it leads to
}

// ReadMan reads the pages of section 3 in a folder.
func ReadMan(fsys fs.FS) (*Man, error) {
	m := &Man{text: map[string]string{}, page: map[string]string{}}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		base := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".gz"), ".md")
		fn, ok := strings.CutSuffix(base, ".3")
		if err != nil || !ok || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err == nil && strings.HasSuffix(name, ".gz") {
			if z, zerr := gzip.NewReader(bytes.NewReader(data)); zerr == nil {
				data, err = io.ReadAll(io.LimitReader(z, 4<<20))
			}
		}
		if err != nil {
			return nil // a link that leads nowhere
		}
		m.text[fn] = string(data)
		return nil
	})
	for fn, text := range m.text {
		m.page[fn] = fn
		if to, ok := strings.CutPrefix(strings.TrimSpace(text), ".so "); ok {
			m.page[fn] = strings.TrimSuffix(path.Base(to), ".3")
		}
	}
	for fn, text := range m.text { // in a source tree a page has no links yet, and names what it is about
		for _, name := range strings.FieldsFunc(nameSection.FindString(text), func(r rune) bool { return strings.ContainsRune(", \n", r) }) {
			if m.page[name] == "" {
				m.page[name] = fn
			}
		}
	}
	for fn, to := range m.page { // a page that another one copies word for word is a link in some packages
		for name, text := range m.text {
			if name < m.page[fn] && text == m.text[to] && strings.Contains(text, name) {
				m.page[fn] = name
			}
		}
	}
	return m, err
}

// PageOf is the page of a function, or "".
func (m *Man) PageOf(fn string) string {
	if m == nil || m.text[m.page[fn]] == "" {
		return ""
	}
	return m.page[fn]
}

var (
	nameSection   = regexp.MustCompile(`(?:\.SH "?|# )NAME"?\s*\n[^-\\]*`)
	returnSection = regexp.MustCompile(`(?s)(\.SH "?|\n# )RETURN VALUES?"?\s*\n(.*?)(\n\.SH |\n# |$)`)
	negative      = regexp.MustCompile(`-E[A-Z]+|\bnegative\b`)
	number        = regexp.MustCompile(`\b(positive|non-negative|number of)\b`)
	minusOne      = regexp.MustCompile(`\\?-1\b`)
	zero          = regexp.MustCompile(`\b0\b`)
	errno         = regexp.MustCompile(`(?i)\berrno\b`)
)

// Returns reads how an int function returns failure off its page, or "".
func (m *Man) Returns(fn string) string {
	section := returnSection.FindString(m.textOf(fn))
	switch {
	case section == "":
	case minusOne.MatchString(section) && number.MatchString(section):
		return spec.RetNumber
	case minusOne.MatchString(section):
		return spec.RetMinus1
	case negative.MatchString(section) && number.MatchString(section):
		return spec.RetNegated
	case negative.MatchString(section):
		return spec.RetEither
	case zero.MatchString(section) && errno.MatchString(section):
		return spec.RetErrno
	}
	return ""
}

func (m *Man) textOf(fn string) string {
	if m == nil {
		return ""
	}
	return m.text[m.page[fn]]
}
