package scaffold

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Module is what a draft of module.yaml is made from.
type Module struct {
	Header  string // as it is included
	Library string
	Release *api.Release
	Objects []string // C tags of handles
}

var libraryName = regexp.MustCompile(`^lib(.*?)(\.so.*)?$`)

// Text is the draft of module.yaml.
func (m Module) Text() string {
	base := m.Library[strings.LastIndexByte(m.Library, '/')+1:]
	name := strings.ToLower(base)
	if found := libraryName.FindStringSubmatch(base); found != nil {
		name = strings.ToLower(found[1])
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	probe := ""
	for _, f := range m.Release.Functions {
		if f.Kind == api.Exported && strings.HasPrefix(f.Name, m.prefix()) {
			probe = f.Name
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A draft of verbsgen scaffold.\nmodule: %s\nheader: %s\nlibrary: %s\n", name, m.Header, m.Library)
	fmt.Fprintf(&b, "probe: %s # guess\n", probe)
	fmt.Fprintf(&b, "package: %s\nprefixes: [%s] # guess\nobjects: {", name, m.prefix())
	for i, o := range m.Objects {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(o + ": []")
	}
	b.WriteString("} # guess\n")
	return b.String()
}

// prefix is the first word that most functions begin with.
func (m Module) prefix() string {
	n := map[string]int{}
	best := ""
	for _, f := range m.Release.Functions {
		if i := strings.IndexByte(f.Name, '_'); i > 0 {
			p := strings.ToLower(f.Name[:i+1])
			if n[p]++; n[p] > n[best] {
				best = p
			}
		}
	}
	return best
}
