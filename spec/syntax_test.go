package spec

import (
	"strings"
	"testing"
)

func TestSyntaxMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a: 1\nb: [x, y\nc: 2\nd: 3\n", "2:4: a: not YAML: this [ is never closed; close it with ]"},
		{"a: 1\nb: [x, y\nc: [2]\nd: {a: 3}\n", "2:4: a: not YAML: this [ is never closed; close it with ]"},
		{"a: 1\nb: {x: y\nc: 2\n", "2:4: a: not YAML: this { is never closed; close it with }"},
		{"a: [1, 2}\nb: 3\n", "1:4: a: not YAML: this [ is never closed; close it with ]"},
		{"l:\n  - {id: a, fix: [b}\n  - {id: c}\n", "2:18: a: not YAML: this [ is never closed; close it with ]"},
		{"a: \"[\"\n# [\nt: of [1\nb: ['x[', [\nc: 2\n", "4:11: a: not YAML: this [ is never closed; close it with ]"},
		{"a: [x #]\nb: 2\n", "1:4: a: not YAML: this [ is never closed; close it with ]"},
		{"a: 'it''s\n  two'\nb: [\n", "3:4: a: not YAML: this [ is never closed; close it with ]"},
		{"a: 1\nb: 'x\nc: 2\n", "2:1: a: not YAML: found unexpected end of stream; close the quotes that the text is in"},
		{"a: 1\n b: 2\n",
			"2:2: a: not YAML: mapping values are not allowed in this context; put a text with a colon in quotes, and indent the keys of " +
				"one mapping alike"},
		{"t: of [1\na: b: c\n",
			"2:1: a: not YAML: mapping values are not allowed in this context; put a text with a colon in quotes, and indent the keys of " +
				"one mapping alike"},
		{"a: 1\nb\nc: 2\n", "2:1: a: not YAML: could not find expected ':'; write key: value"},
		{"a:\n  - b\n - c\n", "3:2: a: not YAML: did not find expected key; indent the keys of one mapping alike, and close no bracket twice"},
		{"a: `x`\n", "1:1: a: not YAML: found character that cannot start any token; put a text that begins with ` or % in quotes"},
		{"a: *\n", "1:1: a: not YAML: did not find expected alphabetic or numeric character; put a text that begins with * or & in quotes"},
		{"a: !<\n", "1:1: a: not YAML: did not find expected tag URI; put a text that begins with ! in quotes"},
		{"a: b\x01c\n", "1:1: a: not YAML: control characters are not allowed; take the control character out"},
		{"a: \"\\q\"\n", "1:1: a: not YAML: found unknown escape character; write the text in single quotes"},
		{"%YAML 7.0\n---\na: 1\n",
			"1:1: a: not YAML: found incompatible YAML document; look for a quote or bracket that is not closed, or for odd indenting, " +
				"here and above"},
	} {
		d := &decoder{file: "a.yaml", maxNodes: maxPageNodes}
		n := d.root([]byte(tt.text), "a")
		if err := d.errs.sorted(); n != nil || err == nil || err.Error() != "a.yaml:"+tt.want {
			t.Errorf("%q: got\n%v\nwant\na.yaml:%s", tt.text, err, tt.want)
		}
	}
}

// TestLongList reads a list with more entries than a page may have, and one with as many.
func TestLongList(t *testing.T) {
	for n, want := range map[int]string{maxListed: "", maxListed + 1: ": when: the list has more than 1000 entries; write it another way"} {
		d := &decoder{file: "a.yaml", maxNodes: maxPageNodes}
		var atoms []Atom
		d.reader(&atoms, option{})(d.root([]byte("["+strings.Repeat("{of: a, gt: 1}, ", n)+"]"), "x"), place{"x", "when"})
		got := ""
		if len(d.errs) > 0 {
			got = d.errs.Error()
		}
		if !strings.HasSuffix(got, want) || (want == "") != (len(atoms) == n) {
			t.Errorf("%d entries: %d are read, and %q, want %q", n, len(atoms), got, want)
		}
	}
}
