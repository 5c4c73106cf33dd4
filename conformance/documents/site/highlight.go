package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// formatter writes spans with classes, so that the style sheet has the colours of both schemes.
var formatter = chtml.New(chtml.WithClasses(true), chtml.PreventSurroundingPre(true))

// lexed are the languages of pages that are coloured. What a program prints is not.
var lexed = map[string]string{"go": "go", "c": "c", "yaml": "yaml", "sh": "bash", "json": "json", "python": "python"}

// highlight is code with its colours.
func highlight(language, code string) template.HTML {
	var b strings.Builder
	lexer := lexers.Get(lexed[language])
	if lexed[language] == "" || lexer == nil {
		return template.HTML("<pre><code>" + html.EscapeString(code) + "</code></pre>")
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err == nil {
		err = formatter.Format(&b, styles.Fallback, tokens)
	}
	if err != nil { // of a lexer that is broken
		return template.HTML("<pre><code>" + html.EscapeString(code) + "</code></pre>")
	}
	return template.HTML(`<pre class="chroma"><code>` + b.String() + "</code></pre>")
}

// writeColours writes the style sheet of both colour schemes.
func writeColours(w io.Writer) error {
	for _, s := range []struct{ scheme, style string }{{"light", "github"}, {"dark", "github-dark"}} {
		var b bytes.Buffer
		if err := formatter.WriteCSS(&b, styles.Get(s.style)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "@media (prefers-color-scheme: %s) {\n%s}\n", s.scheme, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// fences renders fenced code with its colours.
type fences struct{}

func (fences) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, data []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.WriteString(string(highlight(string(n.(*ast.FencedCodeBlock).Language(data)), string(n.Lines().Value(data)))) + "\n")
		return ast.WalkContinue, err
	})
}
