package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// View is what gcc says of a header.
type View struct {
	Machine string // "amd64" or "arm64"
	Alone   bool   // Own of Header names files

	said said
	// aside are declarations that facts may have, and need not: records of other files, macros that are words of a declaration.
	aside map[string]bool
}

// field is one member of a record. The offset of a bit field is in bits, from the start of the record.
type field struct {
	name, ctype  string
	offset, size int64
	bits         int // 0 for a member that is no bit field
}

func (f field) String() string {
	if f.bits > 0 {
		return fmt.Sprintf("%s %s, %d bits at bit %d, of %d bytes", f.ctype, f.name, f.bits, f.offset, f.size)
	}
	return fmt.Sprintf("%s %s at %d, of %d bytes", f.ctype, f.name, f.offset, f.size)
}

type enumerator struct {
	name  string
	value int64
}

func (e enumerator) String() string { return fmt.Sprintf("%s = %d", e.name, e.value) }

// enumName names an enum by its tag, or by its first enumerator.
func enumName(tag string, list []enumerator) string {
	if (strings.Contains(tag, "<") || tag == "enum ") && len(list) > 0 {
		return "enum with " + list[0].name
	}
	return tag
}

// enum adds the properties of an enum.
func enum(properties map[string]any, signed bool, list []enumerator) {
	properties["signed"], properties["number of enumerators"] = signed, len(list)
	for i, e := range list {
		properties[fmt.Sprintf("enumerator %d", i)] = e
	}
}

// knows reports whether gcc has what an alias stands for, as the kind that the facts have.
func (v *View) knows(a api.Alias) bool {
	switch a.Kind {
	case "struct", "union":
		return v.said["record "+a.Kind+" "+a.Of] != nil
	case "function", "enum":
		return v.said[a.Kind+" "+a.Of] != nil
	case "enumerator":
		for _, properties := range v.said {
			for _, value := range properties {
				if e, ok := value.(enumerator); ok && e.name == a.Of {
					return true
				}
			}
		}
	}
	return false
}

// Look compiles the header in several ways. dir is an empty folder for the files that this takes.
func Look(h Header, dir string) (*View, error) {
	p, err := newProbe(h, dir)
	if err != nil {
		return nil, err
	}
	v := &View{Machine: "amd64", Alone: h.Own != nil, said: said{}, aside: map[string]bool{}}
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
	for _, line := range strings.Split(string(data), "\n") {
		m := prototypeRE.FindStringSubmatch(line)
		if m == nil || !p.own(m[1]) {
			continue
		}
		decl, name, err := anonymise(m[4])
		if err != nil {
			return err
		}
		if f := v.said.add("function " + name); f["static inline"] != true {
			f["static inline"], f["prototype"], f["place"] = m[3] == "F", squeeze(decl), p.included(m[1])+":"+m[2]
		}
	}
	if len(v.said) == 0 {
		return fmt.Errorf("%s -aux-info names no function of %s", p.CC, p.Name)
	}
	return nil
}

var wordRE = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// anonymise drops the parameter names of a prototype, which gcc gives for definitions only. No function of a verbs header
// takes a pointer to a function or an array of known bounds, so the name is the last word of a parameter with two or more.
func anonymise(decl string) (text, name string, err error) {
	head, params, ok := strings.Cut(decl, " (")
	if !ok || strings.Contains(params, "(") {
		return "", "", fmt.Errorf("cannot take the prototype %q apart", decl)
	}
	words := wordRE.FindAllString(head, -1)
	var list []string
	for _, param := range strings.Split(strings.TrimSuffix(params, ")"), ",") {
		list = append(list, dropName(strings.TrimSpace(param)))
	}
	return head + " (" + strings.Join(list, ", ") + ")", words[len(words)-1], nil
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
