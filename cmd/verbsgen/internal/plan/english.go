package plan

import (
	"strings"
	"text/template"

	"github.com/verbsgen/verbsgen/templates"
)

// english has the texts of generated doc comments.
var english = template.Must(template.New("docs").Option("missingkey=error").Parse(templates.Docs))

// words are what a text is filled in with.
type words map[string]string

// says returns a text of generated doc comments.
func says(name string, with words) string {
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
