package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// View is what gcc says of a header.
type View struct {
	Machine string // "amd64" or "arm64"
	Alone   bool   // Own of Header names files

	// rel has declarations as facts have them, but offsets of bit fields in bits. Its foreign records are those of other files, which facts
	// may have, and need not.
	rel   *api.Release
	texts map[string]string // of macros
}

// Look compiles the header in several ways. dir is an empty folder for the files that this takes.
func Look(h Header, dir string) (*View, error) {
	p, err := newProbe(h, dir)
	if err != nil {
		return nil, err
	}
	v := &View{Machine: "amd64", Alone: h.Own != nil, rel: &api.Release{}, texts: map[string]string{}}
	if strings.HasPrefix(filepath.Base(h.CC), "aarch64") {
		v.Machine = "arm64"
	}
	object, err := p.compile("probe.c", "-aux-info", "prototypes")
	if err != nil {
		return nil, err
	}
	if err := p.prototypes(v); err != nil {
		return nil, err
	}
	if err := p.debugInfo(v, object); err != nil {
		return nil, err
	}
	return v, p.macros(v)
}

// A line of gcc -aux-info: /* FILE:LINE:NC */ extern int f (int); with F for a definition.
var prototypeRE = regexp.MustCompile(`^/\* (.*):(\d+):.([CF]) \*/ (?:extern |static |inline )*(.*?);(?: /\*.*)?$`)

func (p *probe) prototypes(v *View) error {
	data, err := os.ReadFile(filepath.Join(p.dir, "prototypes"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		m := prototypeRE.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || !p.own(m[1]) {
			continue
		}
		f, err := function(m[4])
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(m[2])
		f.Pos = api.Pos{File: p.included(m[1]), Line: n}
		if m[3] == "F" {
			f.Kind = api.Inline
		}
		if !slices.ContainsFunc(v.rel.Functions, func(g api.Function) bool { return g.Name == f.Name && g.Kind == api.Inline }) {
			v.rel.Functions = append(v.rel.Functions, f)
		}
	}
	if len(v.rel.Functions) == 0 {
		return fmt.Errorf("%s -aux-info names no function of %s", p.CC, p.Name)
	}
	return nil
}

var (
	wordRE = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	lastRE = regexp.MustCompile(`\w+$`)
)

// function reads a prototype. Definitions have the names of parameters: no function of a verbs header takes a pointer to a function or an
// array of known bounds, so the name is the last word of a parameter with two or more.
func function(decl string) (f api.Function, err error) {
	head, params, ok := strings.Cut(decl, " (")
	if !ok || strings.Contains(params, "(") {
		return f, fmt.Errorf("cannot take the prototype %q apart", decl)
	}
	f.Name = lastRE.FindString(head)
	f.Ret = squeeze(strings.TrimSpace(strings.TrimSuffix(head, f.Name)))
	for _, param := range strings.Split(strings.TrimSuffix(params, ")"), ",") {
		switch param = strings.TrimSpace(param); param {
		case "...":
			f.Variadic = true
		case "void":
		default:
			f.Params = append(f.Params, api.Param{Type: squeeze(dropName(param))})
		}
	}
	return f, nil
}

// typeWords can end a type of more than one word.
var typeWords = map[string]bool{"int": true, "char": true, "long": true, "short": true, "double": true, "unsigned": true, "void": true}

func dropName(param string) string {
	words := wordRE.FindAllString(param, -1)
	if len(words) < 2 {
		return param
	}
	last := words[len(words)-1]
	before := words[len(words)-2]
	if !strings.HasSuffix(param, last) || typeWords[last] || before == "struct" || before == "union" || before == "enum" || before == "const" {
		return param
	}
	return strings.TrimSpace(strings.TrimSuffix(param, last))
}
