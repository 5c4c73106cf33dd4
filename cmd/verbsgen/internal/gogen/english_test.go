package gogen

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template/parse"
)

// TestTextsAreUsed finds texts of templates/docs.tmpl that are in no doc comment of the generated packages.
func TestTextsAreUsed(t *testing.T) {
	files, err := filepath.Glob("../../../../gen/*/*.gen.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d generated files, %v", len(files), err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.ReplaceAll(string(text), "//", ""))
	}
	generated := strings.Join(strings.Fields(all.String()), " ")
	var sources strings.Builder
	files, _ = filepath.Glob("../*/*.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	sentence := regexp.MustCompile(`[^.;]+`)
	for _, tmpl := range english.Templates() {
		longest := ""
		for _, n := range tmpl.Root.Nodes {
			text, ok := n.(*parse.TextNode)
			if !ok {
				continue
			}
			for _, part := range sentence.FindAllString(strings.Join(strings.Fields(string(text.Text)), " "), -1) {
				if part = strings.TrimSpace(part); len(part) > len(longest) {
					longest = part
				}
			}
		}
		if tmpl.Name() != "docs" && !(strings.Contains(generated, longest) && strings.Contains(sources.String(), `"`+tmpl.Name()+`"`)) {
			t.Errorf("no generated file says %q; remove the text %q", longest, tmpl.Name())
		}
	}
}

// TestSay fills a text in: line breaks are spaces, an empty line begins a paragraph, and a missing word is an error.
func TestSay(t *testing.T) {
	want := "Init returns the attributes for QP.Modify that move the queue pair to INIT. The caller may add others."
	if got := say("change", words{"Name": "Init", "State": "INIT"}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a text without one of its words")
		}
	}()
	say("change", words{"Name": "Init"})
}
