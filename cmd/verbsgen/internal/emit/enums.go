package emit

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// enumsFile writes the flag and enum types with their constants.
func (e *emitter) enumsFile() *goFile {
	g := e.newFile("enums.gen.go")
	for _, t := range e.pkg.Enums {
		e.enumType(g, t)
	}
	return g
}

// goInt is the Go integer type under an enum.
func goInt(t *model.Enum) string {
	if t.Signed {
		return fmt.Sprintf("int%d", t.Bits)
	}
	return fmt.Sprintf("uint%d", t.Bits)
}

func (e *emitter) enumType(g *goFile, t *model.Enum) {
	does := "is an enum"
	if t.Doc != "" {
		does = "says: " + strings.ToLower(t.Doc[:1]) + t.Doc[1:]
	}
	is := goInt(t)
	if t.Runtime != "" {
		is = "= " + t.Runtime + "." + t.Go
	}
	g.add("%s\ntype %s %s", doc(t.Go, does, t.C, t.Page), t.Go, is)
	var b strings.Builder
	fmt.Fprintf(&b, "// Constants of %s.\nconst (\n", t.Go)
	for _, m := range t.Members {
		if m.Doc != "" || m.Since != "" {
			text := sentence(m.Doc)
			if m.Since != "" {
				text += " Since rdma-core " + m.Since + "."
			}
			fmt.Fprintf(&b, "%s\n", comment(text))
		}
		fmt.Fprintf(&b, "%s %s = %s // %s\n", m.Go, t.Go, value(t, m.Value), m.C)
	}
	b.WriteString(")")
	g.add("%s", b.String())
	switch {
	case t.Runtime != "": // where its String is
	case t.Flags:
		e.flagString(g, t)
	default:
		e.enumString(g, t)
	}
}

// enumsTestFile writes a test of the names that a runtime package has for the constants of this one.
func (e *emitter) enumsTestFile() *goFile {
	var rows strings.Builder
	for _, t := range e.pkg.Enums {
		for _, m := range t.Members {
			if t.Runtime != "" && !m.Alias && !m.New { // the runtime prints the number of a new one
				fmt.Fprintf(&rows, "{%s.String(), %q},\n", m.Go, m.Short)
			}
		}
	}
	if rows.Len() == 0 {
		return nil
	}
	g := e.newFile("enums.gen_test.go")
	g.add("%s", `// TestRuntimeNames holds the names that the runtime knows against the facts.
func TestRuntimeNames(t *testing.T) {
	for _, c := range [][2]string{
`+rows.String()+`	} {
		if c[0] != c[1] {
			t.Errorf("%s is called %s", c[1], c[0])
		}
	}
}`)
	return g
}

// value writes flags in hex and values in decimal.
func value(t *model.Enum, v int64) string {
	if t.Flags {
		return fmt.Sprintf("0x%x", uint64(v))
	}
	return fmt.Sprint(v)
}

func (e *emitter) flagString(g *goFile, t *model.Enum) {
	names := lowerFirst(t.Go) + "Names"
	var b strings.Builder
	fmt.Fprintf(&b, "var %s = []flagName{\n", names)
	for _, m := range t.Members {
		if !m.Alias {
			fmt.Fprintf(&b, "{0x%x, %q},\n", uint64(m.Value), m.Short)
		}
	}
	b.WriteString("}")
	g.add("%s", b.String())
	g.add(`
// String gives the C names without their prefix, joined by |, and the value in hex.
func (v %s) String() string { return flagText(uint64(v), %s) }`, t.Go, names)
}

func (e *emitter) enumString(g *goFile, t *model.Enum) {
	var b strings.Builder
	fmt.Fprintf(&b, "// String gives the C name without its prefix.\nfunc (v %s) String() string {\nswitch v {\n", t.Go)
	for _, m := range t.Members {
		if !m.Alias {
			fmt.Fprintf(&b, "case %s:\nreturn %q\n", m.Go, m.Short)
		}
	}
	conv := "strconv.FormatUint(uint64(v), 10)"
	if t.Signed {
		conv = "strconv.FormatInt(int64(v), 10)"
	}
	fmt.Fprintf(&b, "}\nreturn \"%s(\" + %s + \")\"\n}", t.Go, conv)
	g.add("%s", b.String())
}

// lowerFirst makes an unexported name: MRAccess becomes mrAccess, Type type_.
func lowerFirst(s string) string {
	name := strings.ToLower(s)
	for i, r := range s {
		if r >= 'a' && r <= 'z' {
			if i > 1 {
				i--
			}
			name = strings.ToLower(s[:i]) + s[i:]
			break
		}
	}
	if token.IsKeyword(name) {
		return name + "_"
	}
	return name
}
