package main

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed templates
var templates embed.FS

// page is what every template gets.
type page struct {
	Title string
	Here  string // part of the site, for the menu
	*site
	Verb *verb
	Text *text
}

// build writes the site, and returns the number of its pages.
func build(root, out string) (int, error) {
	s, err := load(root)
	if err != nil {
		return 0, err
	}
	funcs := template.FuncMap{"lower": strings.ToLower, "heat": heatOf, "mark": mark}
	t, err := template.New("").Funcs(funcs).ParseFS(templates, "templates/*.html")
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return 0, err
	}
	n := 0
	write := func(name string, fill func(io.Writer) error) {
		var b bytes.Buffer
		if err == nil {
			err = fill(&b)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o666)
		}
	}
	put := func(name, tmpl string, p page) {
		n++
		p.site = s
		write(name, func(w io.Writer) error { return t.ExecuteTemplate(w, tmpl, p) })
	}
	copied := func(name string, from fs.FS, file string) {
		write(name, func(w io.Writer) error {
			data, err := fs.ReadFile(from, file)
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		})
	}
	put("index.html", "index.html", page{Title: "RDMA verbs for Go", Here: "start"})
	put("verbs.html", "verbs.html", page{Title: "Verbs", Here: "verbs"})
	put("guides.html", "guides.html", page{Title: "Guides", Here: "guides"})
	put("results.html", "results.html", page{Title: "Results", Here: "results"})
	for _, v := range s.Verbs {
		put(v.C+".html", "verb.html", page{Title: v.C, Here: "verbs", Verb: v})
	}
	for _, x := range slices.Concat(s.Guides, s.Texts) {
		put(x.Out, "text.html", page{Title: x.Title, Here: "guides", Text: x})
		for name, file := range x.images {
			copied(name, os.DirFS(root), file)
		}
	}
	write("index.js", s.writeIndex)
	write("colours.css", writeColours)
	copied("site.css", templates, "templates/site.css")
	copied("site.js", templates, "templates/site.js")
	return n, err
}
