package cheader

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

var (
	includeLine = regexp.MustCompile(`^\s*#\s*include\s*([<"])([^>"]+)[>"]`)
	condition   = regexp.MustCompile(`^\s*#\s*(if|ifdef|ifndef|endif)\b`)
)

// endless says what expands without end: an include that leads back to its own file, where there is one.
func (p *parser) endless(in *includes, d diag.Diag) diag.Diag {
	d.Problem, d.Fix = endless, endlessFix
	if d.File == "" || strings.HasPrefix(d.File, "<") {
		d.File, d.Line, d.Col, d.Subject = p.opts.Header, 0, 0, "header"
	}
	for _, name := range append([]string{p.name}, sortedKeys(in.text)...) {
		if steps := in.wayBack(name, name, map[string]bool{}); len(steps) > 0 {
			first := steps[0]
			d.File, d.Line, d.Col = in.place(name), first.line, first.col
			d.Subject, d.Problem = filepath.Base(d.File), "the header includes itself"
			if len(steps) > 1 {
				d.Problem += " by way of " + in.place(first.to)
			}
			d.Fix = "remove the include, or guard the header with #ifndef, #define and #endif"
			return d
		}
	}
	return d
}

// step is one include on the way from a file to another.
type step struct {
	to        string
	line, col int
}

// steps lists what a file always includes: not what stands under a condition, as in a guard.
func (in *includes) steps(from string) []step {
	var steps []step
	depth := 0
	for i, line := range bytes.Split(in.text[from], []byte("\n")) {
		if c := condition.FindSubmatch(line); c != nil && string(c[1]) == "endif" {
			depth--
		} else if c != nil {
			depth++
		}
		m := includeLine.FindSubmatch(line)
		if m == nil || depth > 0 {
			continue
		}
		names := []string{path.Clean(string(m[2]))}
		if m[1][0] == '"' {
			names = slices.Insert(names, 0, path.Join(path.Dir(from), string(m[2])))
		}
		at := slices.IndexFunc(names, func(n string) bool { return in.text[n] != nil })
		if at < 0 {
			continue
		}
		steps = append(steps, step{names[at], i + 1, bytes.IndexByte(line, '#') + 1})
	}
	return steps
}

// wayBack follows the includes of a file until they lead to the file called to; nil when none does.
func (in *includes) wayBack(from, to string, seen map[string]bool) []step {
	seen[from] = true
	steps := in.steps(from)
	for _, s := range steps {
		if s.to == to {
			return []step{s}
		}
	}
	for _, s := range steps {
		if !seen[s.to] {
			if rest := in.wayBack(s.to, to, seen); rest != nil {
				return append([]step{s}, rest...)
			}
		}
	}
	return nil
}
