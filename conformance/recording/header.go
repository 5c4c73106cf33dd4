package recording

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// headers are the files that a verbs.h consists of.
var headers = []string{"infiniband/verbs.h", "infiniband/verbs_api.h", "infiniband/ib_user_ioctl_verbs.h",
	"infiniband/tm_types.h", "rdma/ib_user_verbs.h"}

var word = regexp.MustCompile(`\w+`)

// releaseOf finds the release that a header is of, or the last one that declares the same: no name of a later one is in it.
func releaseOf(include string, newest *api.Release) (string, error) {
	words := map[string]bool{}
	for i, name := range headers {
		text, err := os.ReadFile(filepath.Join(include, name))
		if err != nil && i == 0 {
			return "", err
		}
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
	}
	since, err := api.Since()
	if err != nil {
		return "", err
	}
	releases := api.Releases()
	last := len(releases) - 1
	for name := range api.Properties(newest) { // of names that are gone no header can say anything
		if strings.Contains(name, "<") || strings.Contains(name, "ib_uverbs_") || strings.HasSuffix(name, "_data_u64") {
			continue // not written in the header as such: made-up names and those of macros
		}
		for _, w := range word.FindAllString(name, -1) {
			if !words[w] {
				last = min(last, slices.Index(releases, since[name])-1)
			}
		}
	}
	if last < 0 {
		return "", fmt.Errorf("%s is older than every known release", filepath.Join(include, headers[0]))
	}
	return releases[last], nil
}

// declarations writes decls.h: the real header, and from the project's own header what it does not declare yet. A record that has
// grown since is the project's own; that of the header has another name.
func declarations(abi string, have, newest *api.Release, grown map[string]bool) (string, error) {
	known := map[string]bool{}
	for _, r := range have.Records {
		known[r.Tag] = !grown[r.Tag]
	}
	for _, e := range have.Enums {
		known[e.Tag] = true
	}
	var lacking []string
	for _, r := range newest.Records {
		if !known[r.Tag] && !r.Incomplete {
			lacking = append(lacking, r.Tag)
		}
	}
	for _, e := range newest.Enums {
		if !known[e.Tag] && !strings.Contains(e.Tag, "<") {
			lacking = append(lacking, e.Tag)
		}
	}
	type part struct {
		at   int
		text string
	}
	var parts []part
	for _, tag := range lacking {
		at := strings.Index(abi, "\n"+tag+" {\n")
		end := strings.Index(abi[max(at, 0):], "\n};\n")
		if at < 0 || end < 0 {
			return "", fmt.Errorf("verbs_abi.h does not declare %s; run make generate", tag)
		}
		parts = append(parts, part{at, abi[at : at+end+len("\n};\n")]})
	}
	slices.SortFunc(parts, func(a, b part) int { return a.at - b.at })
	var b, after strings.Builder
	for _, tag := range slices.Sorted(maps.Keys(grown)) {
		_, name, _ := strings.Cut(tag, " ")
		fmt.Fprintf(&b, "#define %s header_%s\n", name, name)
		fmt.Fprintf(&after, "#undef %s\n", name)
	}
	b.WriteString("#include <infiniband/verbs.h>\n" + after.String())
	for _, r := range newest.Records {
		if !known[r.Tag] {
			fmt.Fprintf(&b, "%s;\n", r.Tag)
		}
	}
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String(), nil
}

// grownSince finds the records that have a field in the newest release that they lack here, and the records that have one of these in them.
func grownSince(have, newest *api.Release) map[string]bool {
	grown, older := map[string]bool{}, map[string]*api.Record{}
	for i, r := range have.Records {
		older[r.Tag] = &have.Records[i]
	}
	for more := true; more; {
		more = false
		for _, r := range newest.Records {
			if older[r.Tag] != nil && !grown[r.Tag] && slices.ContainsFunc(r.Fields, func(f api.Field) bool {
				tag, _, _ := strings.Cut(f.Type, "[")
				return grown[tag] || !slices.ContainsFunc(older[r.Tag].Fields, func(g api.Field) bool { return g.Name == f.Name })
			}) {
				grown[r.Tag], more = true, true
			}
		}
	}
	return grown
}
