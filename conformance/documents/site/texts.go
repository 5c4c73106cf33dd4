package main

import (
	"bytes"
	"cmp"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// source is where files are that the site does not have.
const source = "https://github.com/verbsgen/verbsgen/blob/main/"

// text is a page of Markdown.
type text struct {
	File       string // in the repository
	Out        string // in the site
	Title      string
	Head, Body template.HTML

	Caption  string // what it is for, in a few words
	Contents []heading

	images map[string]string // files of the repository, by their names in the site
}

// heading is an entry of the contents of a page.
type heading struct {
	ID, Title string
	Level     int
}

// at is the page of the site that a Markdown file of the repository becomes.
func at(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".md"), "/", "-") + ".html"
}

// left are pages that are long lists, which the site shows in its own way, or not at all.
var left = map[string]bool{"docs/conformance-matrix.md": true}

// loadTexts reads the guides and the other documents.
func (s *site) loadTexts(root string) error {
	var files []string
	for _, glob := range []string{"docs/guide/*.md", "docs/*.md", "examples/*/README.md", "spec/README.md", "spec/REFERENCE.md", "*.md"} {
		found, err := filepath.Glob(filepath.Join(root, glob))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	known := map[string]bool{}
	for i := range files {
		rel, err := filepath.Rel(root, files[i])
		if err != nil {
			return err
		}
		files[i] = filepath.ToSlash(rel)
		known[files[i]] = !left[files[i]]
	}
	for _, file := range files {
		if !known[file] {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		t, err := render(file, data, known)
		if err != nil {
			return err
		}
		if strings.HasPrefix(file, "docs/guide/") {
			s.Guides = append(s.Guides, t)
		} else {
			s.Texts = append(s.Texts, t)
		}
	}
	return s.sortGuides(root)
}

// render makes HTML of a page. Links to pages of the site lead there; other links into the repository lead to its source.
func render(file string, data []byte, known map[string]bool) (*text, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(fences{}, 100))))
	doc := md.Parser().Parse(gtext.NewReader(data))
	t := &text{File: file, Out: at(file), Title: file, images: map[string]string{}}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			title := plain(n, data)
			if id, ok := n.AttributeString("id"); ok && entering && (n.Level == 2 || n.Level == 3) {
				t.Contents = append(t.Contents, heading{string(id.([]byte)), title, n.Level})
			}
			if entering && n.Level == 1 && t.Title == file {
				t.Title = title
			}
		case *ast.Paragraph:
			if entering && t.Caption == "" && n.Parent() == doc {
				first, _, _ := strings.Cut(plain(n, data), ". ")
				t.Caption = strings.TrimSuffix(strings.TrimSuffix(first, "."), ":")
			}
		case *ast.Link:
			if entering {
				n.Destination = []byte(target(file, string(n.Destination), known))
			}
		case *ast.Image:
			if entering {
				n.Destination = []byte(t.image(string(n.Destination)))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, data, doc); err != nil {
		return nil, err
	}
	head, body, ok := strings.Cut(b.String(), "</h1>\n")
	if !ok {
		head, body = "", b.String()
	} else {
		head += "</h1>"
	}
	t.Head, t.Body = template.HTML(head), template.HTML(body) // of our own pages
	return t, nil
}

// plain is the text of a heading or paragraph without marks.
func plain(n ast.Node, data []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if x, ok := c.(*ast.Text); ok && entering {
			b.Write(x.Segment.Value(data))
			if x.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// captioned matches a row of the table of guides: a link to a guide, and when to read it.
var captioned = regexp.MustCompile(`(?m)^\| \[[^\]]*\]\(([\w.-]+\.md)\) \| (.*?) \|`)

// sortGuides puts the guides in the order of the table in docs/guide/README.md, and takes the captions from there. Others come last, with
// their first sentence.
func (s *site) sortGuides(root string) error {
	data, err := os.ReadFile(filepath.Join(root, "docs", "guide", "README.md"))
	if err != nil {
		return err
	}
	order := map[string]int{}
	for i, m := range captioned.FindAllSubmatch(data, -1) {
		for _, t := range s.Guides {
			if t.File == "docs/guide/"+string(m[1]) {
				t.Caption, order[t.File] = strings.ReplaceAll(string(m[2]), "`", ""), i+1
			}
		}
	}
	s.Guides = slices.DeleteFunc(s.Guides, func(t *text) bool { return t.File == "docs/guide/README.md" }) // this is that page
	slices.SortStableFunc(s.Guides, func(a, b *text) int {
		return cmp.Compare(cmp.Or(order[a.File], len(order)+1), cmp.Or(order[b.File], len(order)+1))
	})
	return nil
}

// image is the name in the site of an image of the page. The file goes there.
func (t *text) image(link string) string {
	if u, err := url.Parse(link); err != nil || u.IsAbs() {
		return link
	}
	file := path.Join(path.Dir(t.File), link)
	name := strings.ReplaceAll(file, "/", "-")
	t.images[name] = file
	return name
}

// target is where a link of a page leads to in the site.
func target(file, link string, known map[string]bool) string {
	u, err := url.Parse(link)
	if err != nil || u.IsAbs() || u.Path == "" {
		return link
	}
	to := path.Join(path.Dir(file), u.Path)
	if known[to+"/README.md"] {
		to += "/README.md"
	}
	fragment := ""
	if u.Fragment != "" {
		fragment = "#" + u.Fragment
	}
	switch {
	case to == "docs/guide/README.md":
		return "guides.html"
	case to == "docs/conformance-matrix.md":
		return "results.html"
	case known[to]:
		return at(to) + fragment
	}
	return source + to + fragment
}
