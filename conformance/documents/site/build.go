package main

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"os"
	"path/filepath"
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
	write := func(name, tmpl string, p page) {
		if err != nil {
			return
		}
		n++
		p.site = s
		err = writePage(t, filepath.Join(out, name), tmpl, p)
	}
	write("index.html", "index.html", page{Title: "RDMA verbs for Go", Here: "start"})
	write("verbs.html", "verbs.html", page{Title: "Verbs", Here: "verbs"})
	write("guides.html", "guides.html", page{Title: "Guides", Here: "guides"})
	write("results.html", "results.html", page{Title: "Results", Here: "results"})
	for _, v := range s.Verbs {
		write(v.C+".html", "verb.html", page{Title: v.C, Here: "verbs", Verb: v})
	}
	for _, x := range append(append([]*text{}, s.Guides...), s.Texts...) {
		write(x.Out, "text.html", page{Title: x.Title, Here: "guides", Text: x})
		if err == nil {
			err = x.copyImages(root, out)
		}
	}
	if err != nil {
		return n, err
	}
	for name, write := range map[string]func(io.Writer) error{"index.js": s.writeIndex, "colours.css": writeColours} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return n, err
		}
		if err := os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o666); err != nil {
			return n, err
		}
	}
	for _, name := range []string{"site.css", "site.js"} {
		data, err := templates.ReadFile("templates/" + name)
		if err != nil {
			return n, err
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return n, err
		}
	}
	return n, nil
}

func writePage(t *template.Template, file, name string, p page) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	return t.ExecuteTemplate(f, name, p)
}
