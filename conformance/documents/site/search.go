package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// writeIndex writes what the search of all pages finds: an array of [kind, title, words, link]. It is a script, as browsers let a page that
// was opened from a file load no JSON.
func (s *site) writeIndex(w io.Writer) error {
	var list [][4]string
	pages := map[string]string{} // of Go names
	for _, v := range s.Verbs {
		var names []string
		for _, m := range v.Methods {
			names = append(names, m.Name)
			pages[v.Module+" "+m.Name] = v.C + ".html#go"
		}
		list = append(list, [4]string{"verb", v.C, strings.Join(append(names, v.Doc), " "), v.C + ".html"})
		for _, a := range v.Rules {
			for _, r := range a.Rules {
				list = append(list, [4]string{"rule", r.ID, v.C + " " + r.Subject + ": " + r.Statement, v.C + ".html#" + r.ID})
			}
		}
	}
	for _, t := range append(append([]*text{}, s.Guides...), s.Texts...) {
		list = append(list, [4]string{"guide", t.Title, t.Caption, t.Out})
		for _, h := range t.Contents {
			list = append(list, [4]string{"guide", h.Title, t.Title, t.Out + "#" + h.ID})
		}
	}
	for _, g := range s.Go {
		add := func(name, summary, file string, line int) {
			link := pages[strings.TrimPrefix(g.Dir, "gen/")+" "+name]
			if link == "" {
				link = fmt.Sprintf("%s%s/%s#L%d", source, g.Dir, file, line)
			}
			list = append(list, [4]string{"Go", g.Name + "." + name, summary, link})
		}
		for _, t := range sorted(g.Types) {
			add(t.Name, t.Summary, t.File, t.Line)
			for _, c := range t.Consts {
				add(c.Name, c.C+" "+c.Doc, t.File, t.Line)
			}
		}
		for _, f := range sorted(g.Funcs) {
			add(f.Name, f.Summary, f.File, f.Line)
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "siteIndex = %s;\n", data)
	return err
}
