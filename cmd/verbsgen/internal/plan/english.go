package plan

import (
	"strings"
	"text/template"

	"github.com/verbsgen/verbsgen/templates"
)

// english has the texts of generated doc comments.
var english = template.Must(template.New("docs").Option("missingkey=error").Parse(templates.Docs))

// Words are what a text is filled in with.
type Words map[string]string

// Says returns a text of generated doc comments.
func Says(name string, with Words) string {
	var b strings.Builder
	if err := english.ExecuteTemplate(&b, name, with); err != nil {
		panic("internal error: templates/docs.tmpl: " + err.Error())
	}
	var paragraphs []string
	for p := range strings.SplitSeq(strings.TrimSpace(b.String()), "\n\n") {
		paragraphs = append(paragraphs, strings.Join(strings.Fields(p), " "))
	}
	return strings.Join(paragraphs, "\n\n")
}
