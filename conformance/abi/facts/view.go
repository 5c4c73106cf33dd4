package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// View is what gcc says of a header. All maps hold only what the header itself, or a file beside it, declares; Records holds
// those of other files as well.
type View struct {
	Machine   string // "amd64" or "arm64"
	Alone     bool   // Own of Header names files
	Functions map[string]Func
	Records   map[string]Record // by tag: "struct ibv_mr"
	Enums     []Enum
	Macros    map[string]Macro // object-like, with a replacement
}

// Func is one function.
type Func struct {
	Inline bool
	Decl   string // prototype with neither storage class nor parameter names: "int ibv_dereg_mr (struct ibv_mr *)"
	Place  string // "infiniband/verbs.h:2761"
}

// Record is one struct or union.
type Record struct {
	Own        bool // declared in the header, or in a file beside it
	Incomplete bool
	Size       int64
	Fields     []Field // flattened as in api.Record
	Place      string
}

// Field is one member.
type Field struct {
	Name         string
	Type         string
	Offset, Size int64
	Bit, Bits    int // offset from the start of the record in bits, and width; 0 bits for a member that is no bit field
}

// Enum is one enum.
type Enum struct {
	Tag    string // "enum ibv_mtu", "enum " without a tag
	Signed bool
	Values []Value
	Place  string
}

// Value is one enumerator.
type Value struct {
	Name  string
	Value int64
}

// Macro is one object-like macro.
type Macro struct {
	Text  string // replacement, white space squeezed
	Value int64  // when IsInt
	IsInt bool
	Place string
}

// Look compiles the header in several ways. dir is an empty folder for the files that this takes.
func Look(h Header, dir string) (*View, error) {
	p, err := newProbe(h, dir)
	if err != nil {
		return nil, err
	}
	v := &View{Machine: "amd64", Alone: h.Own != nil}
	if strings.HasPrefix(filepath.Base(h.CC), "aarch64") {
		v.Machine = "arm64"
	}
	object, err := p.compile("probe.c", "-aux-info", "prototypes")
	if err != nil {
		return nil, err
	}
	if v.Functions, err = p.prototypes(); err != nil {
		return nil, err
	}
	if err := p.debugInfo(v, object); err != nil {
		return nil, err
	}
	v.Macros, err = p.macros()
	return v, err
}

// A line of gcc -aux-info: /* FILE:LINE:NC */ extern int f (int); with F for a definition.
var prototypeRE = regexp.MustCompile(`^/\* (.*):(\d+):.([CF]) \*/ (?:extern |static |inline )*(.*?);(?: /\*.*)?$`)

func (p *probe) prototypes() (map[string]Func, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, "prototypes"))
	if err != nil {
		return nil, err
	}
	funcs := map[string]Func{}
	for _, line := range strings.Split(string(data), "\n") {
		m := prototypeRE.FindStringSubmatch(line)
		if m == nil || !p.own(m[1]) {
			continue
		}
		decl, name, err := anonymise(m[4])
		if err != nil {
			return nil, err
		}
		if old, ok := funcs[name]; ok && old.Inline {
			continue
		}
		funcs[name] = Func{Inline: m[3] == "F", Decl: decl, Place: p.included(m[1]) + ":" + m[2]}
	}
	if len(funcs) == 0 {
		return nil, fmt.Errorf("%s -aux-info names no function of %s", p.CC, p.Name)
	}
	return funcs, nil
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
