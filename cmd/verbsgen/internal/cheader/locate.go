package cheader

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// The C parser gives up on some input without saying where. The place is then looked for: the header is cut behind ever
// fewer of its declarations, until the parser does not give up any more.

// locate adds to diagnostics without a place the line at which the parser begins to say them.
func (p *parser) locate(arch string, list diag.List) diag.List {
	for _, d := range list {
		if d.Line > 0 || d.Code != diag.HeaderSyntax || strings.Contains(d.Problem, endlessWork) {
			return list
		}
	}
	limits := map[string]cut{}
	name := p.name
	for range maxNesting {
		in := newIncludes(p.opts, p.name)
		in.limits = limits
		text := in.content(name)
		at := p.firstBad(arch, limits, name, text, list[0].Problem)
		if at.lines == 0 {
			return list
		}
		next := includeLine.FindSubmatch(at.last(text))
		if next == nil {
			return placedAt(list, in.place(name), at.lines, at.last(text))
		}
		limits[name] = at
		from := name
		if name = path.Clean(string(next[2])); next[1][0] == '"' && in.content(path.Join(path.Dir(from), name)) != nil {
			name = path.Join(path.Dir(from), name)
		}
	}
	return list
}

// maxNesting bounds how deep the place is looked for in included files.
const maxNesting = 8

// cut ends a file behind some of its lines; open conditions are closed.
type cut struct{ lines, open int }

// of is the text that is left.
func (c cut) of(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	left := bytes.Join(lines[:min(c.lines, len(lines))], nil)
	return append(left, strings.Repeat("\n#endif", c.open)+"\n"...)
}

// last is the last line that is left.
func (c cut) last(text []byte) []byte {
	return bytes.Split(text, []byte("\n"))[c.lines-1]
}

// firstBad looks for the first cut of a file with which the parser says the same; none when there is no such cut.
func (p *parser) firstBad(arch string, limits map[string]cut, name string, text []byte, problem string) cut {
	cuts := cutsOf(text)
	says := func(c cut) bool {
		with := map[string]cut{name: c}
		maps.Copy(with, limits)
		_, _, list := p.translateCut(arch, with)
		return len(list) > 0 && list[0].Problem == problem
	}
	i, _ := slices.BinarySearchFunc(cuts, true, func(c cut, _ bool) int {
		if says(c) {
			return 0
		}
		return -1
	})
	if i == len(cuts) {
		return cut{}
	}
	return cuts[i]
}

// cutsOf lists the places between the declarations of a text.
func cutsOf(text []byte) []cut {
	var list []cut
	depth, open := 0, 0
	for i, line := range bytes.Split(blanked(text), []byte("\n")) {
		if m := condition.FindSubmatch(line); m != nil && string(m[1]) == "endif" {
			open--
		} else if m != nil {
			open++
		}
		isDirective := bytes.HasPrefix(bytes.TrimSpace(line), []byte("#"))
		if !isDirective && !bytes.Contains(line, []byte(`extern "C"`)) { // C does not see that one
			depth += bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
		}
		ends := bytes.HasSuffix(bytes.TrimSpace(line), []byte(";")) || bytes.HasSuffix(bytes.TrimSpace(line), []byte("}"))
		if depth <= 0 && (isDirective || ends) && !bytes.HasSuffix(line, []byte(`\`)) {
			list = append(list, cut{i + 1, max(0, open)})
		}
	}
	return list
}

var comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)

// blanked is a text with spaces for its comments.
func blanked(text []byte) []byte { return comment.ReplaceAllFunc(text, spaces) }

var notInteger = regexp.MustCompile(`^internal error: cc\.\w+Value$`)

func placedAt(list diag.List, file string, line int, text []byte) diag.List {
	for i := range list {
		list[i].File, list[i].Line, list[i].Col = file, line, 1+len(text)-len(bytes.TrimLeft(text, " \t"))
		list[i].Subject = "declaration"
		if notInteger.MatchString(list[i].Problem) {
			list[i].Problem = "a constant in it is no integer"
		}
		list[i].Fix = "the declaration that ends here is no C that can be read: take it out, or mend it"
	}
	return list
}
