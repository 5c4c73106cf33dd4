package audit

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// unread are the sections that say nothing about calls.
var unread = regexp.MustCompile(`(?i)^(NAME|SYNOPSIS|EXAMPLES?|SEE ALSO|AUTHORS?)$`)

// Unaccounted returns the sentences and lines of the man pages in a folder that no entry of their page cites: no rule, no note, no
// statement that is left out, no plain passage. Lines of C without a comment, and lines of one word, need no entry: the former are
// compared with the header, the latter are the tags of lists. absent are the pages that the folder lacks.
func (t Tool) Unaccounted(ctx context.Context, pages []*spec.Page, manDir string) (open []Piece, absent []string, err error) {
	for _, page := range pages {
		sections, err := t.sections(ctx, manDir, page.Page)
		if errors.Is(err, errAbsent) {
			absent = append(absent, page.Page)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, p := range uncited(page, sections) {
			p.Page = page.Page
			open = append(open, p)
		}
	}
	return open, absent, nil
}

// Piece is a sentence or a line of a man page.
type Piece struct {
	Page    string
	Section string
	Number  int // in the section, from 1
	Hash    string
}

// uncited returns the pieces of the sections that need an entry and have none.
func uncited(page *spec.Page, sections []section) (out []Piece) {
	for _, s := range sections {
		if unread.MatchString(s.name) {
			continue
		}
		runs, free := passages([]section{s}, maxRun), needless(s.pieces)
		for i, cited := range Cited([]*spec.Page{page}, page.Page, runs) {
			if p := runs[i]; p.First == p.Last && !cited && !free[p.First-1] {
				out = append(out, Piece{Section: s.name, Number: p.First, Hash: p.Hash})
			}
		}
	}
	return out
}

// listing is the first line of a declaration in C.
var listing = regexp.MustCompile(`^(struct|union|enum)\b.*\{$`)

// needless reports of each piece whether it needs no entry: it is C without a comment, or has no space.
func needless(pieces []string) []bool {
	out := make([]bool, len(pieces))
	depth, comment := 0, false
	for i, p := range pieces {
		if depth > 0 || listing.MatchString(p) {
			depth += strings.Count(p, "{") - strings.Count(p, "}")
			begins := strings.LastIndex(p, "/*")
			out[i] = !comment && begins < 0
			if begins >= 0 || comment {
				comment = !strings.Contains(p[max(begins, 0):], "*/")
			}
		}
		out[i] = out[i] || !strings.Contains(p, " ")
	}
	return out
}
