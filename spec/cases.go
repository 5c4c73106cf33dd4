package spec

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// CallCase is one entry of a file for `verbsgen explain --cases`: a call to judge.
type CallCase struct {
	ID   any // string, bool, *big.Int or json.Number, as written; nil when left out
	Verb string
	Case
	// Problems tell what of the case cannot be read: "length: 1.5 is a floating-point number, ...; write an integer".
	Problems []string
}

// ParseCases reads a list of cases, {id?, verb, args, caps?}, in YAML or JSON. Values of arguments and of
// capabilities are nil, bool, *big.Int, string, []any or map[string]any. The error is Errors, for a file that is no
// list of cases with a verb each; any other mistake is a problem of its case alone. What the names mean is not
// looked at.
func ParseCases(file string, data []byte) ([]CallCase, error) {
	d := &decoder{file: file, maxNodes: maxCaseNodes}
	root := d.root(spaced(data), "cases")
	if root == nil {
		return nil, d.errs.sorted()
	}
	v := d.values(true)
	var out []CallCase
	d.list(v.bare(root), place{"cases", ""}, func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		c := CallCase{}
		c.Pos = d.pos(n)
		before := len(d.errs)
		v.told = false
		at := place{caseSubject(n), ""}
		d.object(v.bare(n), at, []key{
			{"id", false, func(n *yaml.Node, at place) { c.ID = v.caseID(n, at) }},
			{"verb", true, d.text(&c.Verb)},
			{"args", false, func(n *yaml.Node, at place) { c.Args = d.part(n, v.value(n, place{at.subject, ""}, 0), at) }},
			{"caps", false, func(n *yaml.Node, at place) { c.Caps = d.part(n, v.value(n, at, 0), at) }},
		})
		if c.Verb != "" {
			c.Problems = d.take(before)
		}
		out = append(out, c)
	})
	if err := d.errs.sorted(); err != nil {
		return nil, err
	}
	return out, nil
}

// take removes the mistakes noted since there were n of them, and gives them as text.
func (d *decoder) take(n int) []string {
	var out []string
	for _, e := range d.errs[n:] {
		text := e.Problem
		if e.Fix != "" {
			text += "; " + e.Fix
		}
		out = append(out, text)
	}
	d.errs = d.errs[:n]
	return out
}

// caseID keeps the ID of a case as written.
func (v *values) caseID(n *yaml.Node, at place) any {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		v.wrongType(n, at, "a text or an integer")
		return nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if i, ok := ParseInt(n.Value); ok {
			return i
		}
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// caseSubject names a case in errors: by its ID where it has one.
func caseSubject(n *yaml.Node) string {
	if id := idOf(n); id != "" {
		return "case " + show(id)
	}
	return "case"
}

// ParseCaps reads a mapping of capabilities, in YAML or JSON, for `explain --caps`.
func ParseCaps(file string, data []byte) (map[string]any, error) {
	d := &decoder{file: file, maxNodes: maxCaseNodes}
	root := d.root(spaced(data), "caps")
	if root == nil {
		return nil, d.errs.sorted()
	}
	m := d.part(root, d.values(true).value(root, place{"caps", ""}, 0), place{"caps", "the file"})
	return m, d.errs.sorted()
}

// ParseValue reads one value as on a command line: YAML, where a name beginning with @ needs no quotes.
func ParseValue(name, text string) (any, error) {
	switch strings.TrimSpace(text) {
	case "":
		return text, nil
	case "null", "NULL":
		return nil, nil
	}
	if strings.HasPrefix(text, "@") {
		return text, nil
	}
	d := &decoder{file: name, maxNodes: maxCaseNodes}
	root := d.root([]byte(atWord.ReplaceAllString(text, `$1"$2"`)), name)
	if root == nil {
		return nil, d.errs.sorted()
	}
	v := d.values(false).value(root, place{name, ""}, 0)
	return v, d.errs.sorted()
}

// atWord is an unquoted @name where a value of a YAML flow collection begins.
var atWord = regexp.MustCompile(`([\[{,:]\s*)(@[A-Za-z0-9_.-]+)`)

// spaced turns the tabs of a JSON file into spaces, which YAML wants; within its strings JSON has no raw tab.
func spaced(data []byte) []byte {
	text := strings.TrimLeft(string(data), " \t\r\n")
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return data
	}
	return []byte(strings.ReplaceAll(string(data), "\t", " "))
}
