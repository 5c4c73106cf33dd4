package spec

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/role"
)

// TestReadme finds keys of a page, roles, return conventions and kinds of rules that REFERENCE.md does not explain.
func TestReadme(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme := read("REFERENCE.md")
	names := 0
	explained := func(what, name, in string) {
		names++
		if !strings.Contains(in, "`"+name+"`") && !strings.Contains(in, "| "+name+" |") {
			t.Errorf("REFERENCE.md does not explain the %s %s", what, name)
		}
	}
	_, keys, _ := strings.Cut(readme, "\n## The keys of a page\n")
	keys, rules, _ := strings.Cut(keys, "\n## Rules\n")
	for _, m := range regexp.MustCompile(`\{"([a-z_]+)", (?:true|false), `).FindAllStringSubmatch(read("decode_page.go"), -1) {
		if m[1] != "extends" { // it makes the file an extension
			explained("key", m[1], keys+rules)
		}
	}
	for _, r := range role.All() {
		names++
		if want := rowOf(r); !strings.Contains(keys, want) {
			t.Errorf("REFERENCE.md does not have the row of the role %s:\n%s", r.Name, want)
		}
	}
	for _, ret := range []string{RetErrno, RetNullErrno, RetMinus1, RetNumber, RetNegated, RetVoid, RetValue, RetRereg} {
		explained("return convention", ret, keys)
	}
	for _, kind := range Kinds() {
		explained("kind", kind, rules)
	}
	if names < 80 {
		t.Errorf("%d names were looked for, too few", names)
	}
}

// rowOf is the row of a role in REFERENCE.md.
func rowOf(r *role.Role) string {
	var takes []string
	for _, key := range r.Must {
		takes = append(takes, "**`"+key+"`**")
	}
	for _, key := range r.May {
		takes = append(takes, "`"+key+"`")
	}
	return "| `" + r.Name + "` | " + r.C + " | " + r.Go + " | " + strings.Join(takes, ", ") + " |\n"
}
