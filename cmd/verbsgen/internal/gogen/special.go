package gogen

import (
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// rulesOf marks the place of the rules of a verb in the doc comment of its method: "// [rules ibv_rereg_mr]".
var rulesOf = regexp.MustCompile(`(?m)^// \[rules (\w+)\]\n//\n`)

// copied is the copy of a file that is written by hand: the package clause is that of the package, and the rules are written out.
func (e *emitter) copied(f *special.File) output.File {
	body := rulesOf.ReplaceAllStringFunc(f.Body, func(mark string) string {
		for _, v := range e.pkg.Verbs {
			if text := ruleList(v); v.C == rulesOf.FindStringSubmatch(mark)[1] && text != "" {
				return comment(text) + "\n//\n"
			}
		}
		return ""
	})
	text := output.Banner + "\n" + e.pkg.Provenance() + "\n\npackage " + e.pkg.Name + body
	return output.File{Name: strings.TrimSuffix(f.Name, ".go") + ".gen.go", Data: []byte(text)}
}
