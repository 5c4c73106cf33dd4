package gogen

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// TestCopies asks that the files below gen that are written by hand are those of templates/verbs below the package clause, but for the
// rules in their comments.
func TestCopies(t *testing.T) {
	files, err := form.Files()
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`(?m)^// ((Errors .*|Hints .*):\n(//   .*\n)+|The command verbsgen rules .*\n|\[rules \w+\]\n)//\n`)
	bare := func(text string) string { return rules.ReplaceAllString(text, "") }
	for _, f := range files {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "gen", "*", strings.TrimSuffix(f.Name, ".go")+".gen.go"))
		if len(found) == 0 && len(f.Without) > 0 {
			continue
		}
		if err != nil || len(found) != 1 {
			t.Errorf("%s: files %q, %v", f.Name, found, err)
			continue
		}
		name := found[0]
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		head, body, _ := strings.Cut(string(data), "\npackage "+filepath.Base(filepath.Dir(name)))
		if head != output.Banner+"\n" {
			t.Errorf("%s begins with %q", name, head)
		}
		if bare(body) != bare(f.Body) {
			t.Errorf("%s is not %s", name, f.Name)
		}
	}
}
