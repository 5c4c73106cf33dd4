// Command pictures draws the pictures of the guides from the pages: the objects of libibverbs below each other, and the states of
// a queue pair. The files are in docs/pictures:
//
//	go run ./conformance/documents/pictures -o docs/pictures
//
// It knows where boxes go; what is in them and which are connected is on the pages.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

func main() {
	out := flag.String("o", "docs/pictures", "folder to write to")
	flag.Parse()
	pictures, err := draw()
	for name, text := range pictures {
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, name), []byte(text), 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// draw returns all pictures by their names.
func draw() (map[string]string, error) {
	pages, err := spec.Embedded("")
	if err != nil {
		return nil, err
	}
	states, err := drawStates(pages)
	if err != nil {
		return nil, err
	}
	return map[string]string{"objects.svg": drawObjects(pages), "states.svg": states}, nil
}

// picture is an SVG file. Its colours are readable on light and on dark pages.
type picture struct{ strings.Builder }

func newPicture(width, height int, title string) *picture {
	p := &picture{}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="sans-serif" `+
		"font-size=\"14\">\n<title>%s</title>\n", width, height, width, height, title)
	fmt.Fprintf(p, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height)
	p.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">` +
		"<path d=\"M0 0L10 5L0 10z\" fill=\"#57606a\"/></marker></defs>\n")
	return p
}

func (p *picture) box(x, y, w, h int, label, fill string) {
	fmt.Fprintf(p, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"#57606a\"/>\n", x, y, w, h, fill)
	fmt.Fprintf(p, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#1f2328\">%s</text>\n", x+w/2, y+h/2+5, label)
}

func (p *picture) text(x, y int, label string) {
	fmt.Fprintf(p, "<text x=\"%d\" y=\"%d\" fill=\"#57606a\" font-size=\"12\">%s</text>\n", x, y, label)
}

// line draws a path; attributes may give it a tip.
func (p *picture) line(path, attributes string) {
	fmt.Fprintf(p, "<path d=\"%s\" fill=\"none\" stroke=\"#57606a\"%s/>\n", path, attributes)
}

func (p *picture) end() string {
	p.WriteString("</svg>\n")
	return p.String()
}
