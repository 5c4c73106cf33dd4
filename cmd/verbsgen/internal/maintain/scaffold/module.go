package scaffold

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Module is what a draft of module.yaml is made from.
type Module struct {
	Header  string // as it is included
	Library string
	Release *api.Release
	Objects []string // C tags of handles
	Uses    []string // modules of verbsgen whose headers this one includes
}

var libraryName = regexp.MustCompile(`^lib(.*?)(\.so.*)?$`)

// Text is the draft of module.yaml.
func (m Module) Text() string {
	base := m.Library[strings.LastIndexByte(m.Library, '/')+1:]
	if found := libraryName.FindStringSubmatch(base); found != nil {
		base = found[1]
	}
	name := word(base)
	if slices.Contains(spec.Modules(), name) { // of another header of the library
		name = word(strings.TrimSuffix(path.Base(m.Header), ".h"))
	}
	probe := ""
	for _, f := range slices.Backward(m.Release.Functions) {
		if probe == "" || f.Kind == api.Exported && strings.HasPrefix(strings.ToLower(f.Name), m.prefix()) {
			probe = f.Name
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A draft of verbsgen scaffold.\nmodule: %s\nheader: %s\nlibrary: %s\n", name, m.Header, m.Library)
	fmt.Fprintf(&b, "probe: %s # guess\n", probe)
	fmt.Fprintf(&b, "package: %s\n", name)
	if m.prefix() != "" {
		fmt.Fprintf(&b, "prefixes: [%s] # guess\n", m.prefix())
	}
	b.WriteString("objects: {")
	for i, o := range m.Objects {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(o + ": []")
	}
	b.WriteString("} # guess\n")
	if len(m.Uses) > 0 {
		fmt.Fprintf(&b, "uses: {%s: {}}\n", strings.Join(m.Uses, ": {}, "))
	}
	return b.String()
}

// word has the letters and digits of a name.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// prefix is what stands before "close" in a name if all functions begin with it; else the first word that most functions begin with, and
// what all of these have in common behind it.
func (m Module) prefix() string {
	for _, f := range m.Release.Functions {
		p, ok := strings.CutSuffix(f.Name, "close")
		other := func(g api.Function) bool { return len(g.Name) <= len(p) || !strings.HasPrefix(g.Name, p) }
		if ok && !slices.ContainsFunc(m.Release.Functions, other) {
			return strings.ToLower(p)
		}
	}
	with := map[string][]string{}
	best := ""
	for _, f := range m.Release.Functions {
		if i := strings.IndexByte(f.Name, '_'); i > 0 {
			p := strings.ToLower(f.Name[:i+1])
			if with[p] = append(with[p], strings.ToLower(f.Name)); len(with[p]) > len(with[best]) {
				best = p
			}
		}
	}
	if len(with[best]) > 2 {
		return common(with[best])
	}
	return best
}
