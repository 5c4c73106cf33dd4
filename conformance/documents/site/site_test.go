package main

import (
	"encoding/json"
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
	tags  = regexp.MustCompile(`<[^>]*>`)
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
	searched(t, root, out, text, places)
	for name := range text {
		if regexp.MustCompile(`^(ibv|rdma|mlx5dv|efadv|hnsdv)_`).MatchString(name) && !strings.Contains(text["verbs.html"], `"`+name+`"`) {
			t.Errorf("verbs.html lacks %s", name)
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
	shown(t, root, text)
}

// searched follows each link of the search, and counts what it finds.
func searched(t *testing.T, root, out string, text map[string]string, places map[string]bool) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(out, "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	var entries [][4]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(string(index), "siteIndex = "), ";\n")), &entries); err != nil {
		t.Fatal(err)
	}
	kinds, titles := map[string]int{}, map[string]string{}
	for _, e := range entries {
		kinds[e[0]]++
		titles[e[1]] = e[3]
		if problem := broken(root, out, "index.html", e[3], text, places); problem != "" {
			t.Errorf("search: %q: %s", e, problem)
		}
	}
	if len(kinds) != 4 || kinds["verb"] < 300 || kinds["rule"] < 1400 || kinds["guide"] < 200 || kinds["Go"] < 2000 {
		t.Errorf("the search finds %v", kinds)
	}
	if titles["verbs.PD.RegMR"] != "ibv_reg_mr.html#go" {
		t.Errorf("RegMR is at %q", titles["verbs.PD.RegMR"])
	}
}

// shown looks for what the pages show, in the order in which they do.
func shown(t *testing.T, root string, text map[string]string) {
	t.Helper()
	guides, err := os.ReadFile(filepath.Join(root, "docs/guide/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	caption := "a table of guides"
	if m := captioned.FindSubmatch(guides); m != nil {
		caption = strings.ReplaceAll(string(m[2]), "`", "")
	}
	for _, c := range []struct {
		page string
		want []string // in this order, without the marks of colours
	}{
		{"ibv_reg_mr.html", []string{"func (pd *PD) RegMR(buf []byte, access MRAccess) (*MR, error)", "struct ibv_mr *ibv_reg_mr(", "Example",
			"pd.RegMR(buf, verbs.MRAccessRemoteWrite)\n", "prints", "add MRAccessLocalWrite", "IBV_ACCESS_REMOTE_WRITE", "access 8 errors",
			"VR-ibv_reg_mr-access-0001", "accepted by", "VR-ibv_reg_mr-access-0004", "softverbs"}},
		{"ibv_query_gid_table.html", []string{"Example", "g.GID)\n}", "prints"}}, // the loop at the end is whole
		{"ibv_rereg_mr.html", []string{"Example", "mr.Rereg(", "conformance/suite/cases"}},
		{"index.html", []string{"RDMA verbs for Go", "go get ", "package main", "prints", caption}},
		{"results.html", []string{"all cases", "softverbs"}},
		{"docs-performance.html", []string{"Contents", "Performance", "PostSend, libmlx5 × 1", "× 64"}},
	} {
		rest := html.UnescapeString(tags.ReplaceAllString(text[c.page], ""))
		for _, want := range c.want {
			var ok bool
			if _, rest, ok = strings.Cut(rest, want); !ok {
				t.Errorf("%s lacks %q in its place", c.page, want)
				break
			}
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
