package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// page is a draft of a file of pages.
type page struct {
	name    string
	extends bool // it adds to a page that there is
	release string
	parts   map[string][]part // by section
}

// part is one entry of a section.
type part struct {
	c    string // what it decides: "ibv_query_x", "struct ibv_y"
	text string // lines, the first without its indent
}

// sections are the keys of a page, in order.
var sections = []string{"flags", "enums", "records", "objects", "verbs", "skip"}

func (p *page) add(section, c, format string, args ...any) {
	p.parts[section] = append(p.parts[section], part{c, fmt.Sprintf(format, args...)})
}

// File is a draft. Of[i] is the declaration that line i+1 is about, or "".
type File struct {
	Name string
	Text string
	Of   []string
}

const head = `# A draft of verbsgen scaffold. Lines with "guess" follow patterns of the header: hold them against the man page, write
# what each thing does under doc:, add rules, and then remove the marks.
`

// file writes a page.
func (p *page) file() File {
	var b strings.Builder
	var of []string
	line := func(c, text string) {
		b.WriteString(text)
		for range strings.Count(text, "\n") {
			of = append(of, c)
		}
	}
	name := p.name
	line("", head)
	if p.extends {
		name += "-draft"
		line("", "extends: "+p.name+"\n")
	} else {
		line("", "page: "+p.name+"\ntitle: "+strconv.Quote(p.name)+"\nrelease: "+strconv.Quote(p.release)+"\n")
	}
	for _, s := range sections {
		if len(p.parts[s]) == 0 {
			continue
		}
		line("", "\n"+s+":\n")
		for _, x := range merged(p.parts[s]) {
			line(x.c, "  "+strings.ReplaceAll(strings.TrimRight(x.text, "\n"), "\n", "\n  ")+"\n")
		}
	}
	return File{name + ".yaml", b.String(), of}
}

// merged joins parts with the same first line: what is added to one entry.
func merged(parts []part) []part {
	var out []part
	for _, p := range parts {
		first, rest, _ := strings.Cut(p.text, "\n")
		i := slices.IndexFunc(out, func(o part) bool { return strings.HasPrefix(o.text, first+"\n") })
		if i < 0 || rest == "" {
			out = append(out, p)
			continue
		}
		sub, more, _ := strings.Cut(rest, "\n") // "  fields:"
		if at := strings.Index(out[i].text, sub+"\n"); at >= 0 && more != "" {
			at += len(sub) + 1
			out[i].text = out[i].text[:at] + more + "\n" + out[i].text[at:]
			continue
		}
		out[i].text += "\n" + rest
	}
	return out
}
