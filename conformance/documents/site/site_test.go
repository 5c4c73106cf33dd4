package main

import (
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	hrefs = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids   = regexp.MustCompile(`\bid="([^"]*)"`)
)

// TestSite builds the site and follows every link: pages and places in them exist, links into the repository name its files, and nothing
// is loaded from elsewhere.
func TestSite(t *testing.T) {
	root, out := filepath.Join("..", "..", ".."), t.TempDir()
	n, err := build(root, out)
	if err != nil {
		t.Fatal(err)
	}
	if n < 200 {
		t.Errorf("only %d pages", n)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.html"))
	if err != nil || len(files) != n {
		t.Fatalf("%d files for %d pages, %v: two pages have one name", len(files), n, err)
	}
	text, places := map[string]string{}, map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		text[name] = string(data)
		for _, m := range ids.FindAllStringSubmatch(text[name], -1) {
			places[name+"#"+html.UnescapeString(m[1])] = true
		}
	}
	links := 0
	for name, body := range text {
		for _, m := range hrefs.FindAllStringSubmatch(body, -1) {
			links++
			if problem := broken(root, out, name, html.UnescapeString(m[1]), text, places); problem != "" {
				t.Errorf("%s: link %s: %s", name, m[1], problem)
			}
		}
	}
	if links < 3500 {
		t.Errorf("only %d links", links)
	}
	for _, want := range []string{"func (*PD) RegMR(", "VR-ibv_reg_mr-access-0001", "accepted by", "since rdma-core", "softverbs"} {
		if !strings.Contains(text["ibv_reg_mr.html"], want) {
			t.Errorf("ibv_reg_mr.html lacks %q", want)
		}
	}
}

// broken says what is wrong with a link of a page; empty if nothing is.
func broken(root, out, page, link string, text map[string]string, places map[string]bool) string {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return err.Error()
	case strings.HasPrefix(link, source):
		if _, err := os.Stat(filepath.Join(root, strings.TrimPrefix(u.Path, "/verbsgen/verbsgen/blob/main/"))); err != nil {
			return "the repository has no such file"
		}
		return ""
	case u.IsAbs():
		return "" // not looked at without a network
	}
	to := u.Path
	if to == "" {
		to = page
	}
	if _, err := os.Stat(filepath.Join(out, to)); err != nil {
		return "no such page"
	}
	if u.Fragment != "" && !places[to+"#"+u.Fragment] {
		return "no such place on the page"
	}
	return ""
}

// TestNames shows that the names of columns have only what differs.
func TestNames(t *testing.T) {
	r, err := loadResults(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, name := range r.Names {
		if seen[name] || name == "" {
			t.Errorf("column %d is called %q, as another one", i, name)
		}
		seen[name] = true
	}
	if !seen["softverbs"] {
		t.Errorf("no column is called softverbs: %q", r.Names)
	}
}
