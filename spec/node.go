package spec

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// decoder walks the nodes of one YAML file and collects every mistake it meets.
type decoder struct {
	file     string
	errs     Errors
	marks    *[]mark  // of the entry that is read
	maxNodes int      // of the file
	parties  []string // who may accept and refuse calls
	// adding limits the entry that is read next: its page has it, and an extension adds to it.
	adding     *adding
	shared     []*sharedRule // wait until all files are read
	taken      []*taken      // likewise
	amendments []amendment   // likewise
	tag        string        // of the release of the page: that of the sources of rdma-core
	cited      *sourceTable  // of the file
	general    *sourceTable  // of all pages
	lender     *decoder      // of nodes of another file
	// tables, if not nil, is called with the keys that each mapping of fixed form may have: the JSON schemas are made of them.
	tables func(n *yaml.Node, keys []key)
}

// Entry is the place of an entry of a page, and the places of the texts in it, which are many and looked up for an error only.
type Entry struct {
	Pos   Pos
	marks *[]mark
}

type mark struct {
	key, text string
	pos       Pos
}

// marking begins the marks of an entry, or goes on with them; the function it gives ends them.
func (d *decoder) marking(to *Entry) func() {
	outer := d.marks
	if to.marks == nil {
		list := make([]mark, 0, 8)
		to.marks = &list
	}
	d.marks = to.marks
	return func() { d.marks = outer }
}

// mark keeps the place of a text, which is also that of its key if it is the first.
func (d *decoder) mark(n *yaml.Node, key, text string) {
	if d.marks != nil {
		*d.marks = append(*d.marks, mark{key, text, d.pos(n)})
	}
}

// At returns the place of a text under a key, or the place of the whole entry if it has none.
func (e Entry) At(key, text string) Pos {
	if e.marks != nil {
		for _, k := range *e.marks {
			if k.key == key && (k.text == text || text == "") {
				return k.pos
			}
		}
	}
	return e.Pos
}

// at is At with another place for a text that the entry does not have.
func (e Entry) at(key, text string, otherwise Pos) Pos {
	e.Pos = otherwise
	return e.At(key, text)
}

// place says what a value belongs to, for its error: the subject and the key.
type place struct {
	subject string
	key     string
}

// reader takes the value of a key.
type reader func(n *yaml.Node, at place)

// key is one key of a mapping of fixed form.
type key struct {
	name string
	must bool
	read reader
}

// pos returns the place of a node: root keeps its file in place of a comment, which nothing reads.
func (d *decoder) pos(n *yaml.Node) Pos {
	return Pos{n.HeadComment, n.Line, n.Column}
}

// writes returns the decoder of the file that a node was written in.
func (d *decoder) writes(n *yaml.Node) *decoder {
	if d.lender != nil && n.HeadComment == d.lender.file {
		return d.lender
	}
	return d
}

// add notes a mistake at a node.
func (d *decoder) add(n *yaml.Node, code, subject, problem, fix string) {
	d.errs = append(d.errs, Error{Pos: d.pos(n), Subject: subject, Problem: problem, Fix: fix, Code: code})
}

// wrongType notes that a value is of another type than its key takes.
func (d *decoder) wrongType(n *yaml.Node, at place, want string) {
	problem := typeName(n) + " where " + want + " belongs"
	if at.key != "" {
		problem = at.key + ": " + problem
	}
	d.add(n, CodeType, at.subject, problem, typeFix(n, want))
}

// typeFix says what to write where a value has the wrong type.
func typeFix(n *yaml.Node, want string) string {
	switch {
	case strings.HasPrefix(want, "a text") && n.Kind == yaml.ScalarNode && n.Value != "":
		return "put it in quotes: " + strconv.Quote(n.Value)
	case want == "a mapping":
		return "write key: value"
	case want == "a list" && n.Kind == yaml.MappingNode:
		return "begin each entry with a dash"
	case want == "a list":
		return "write [...], or lines that begin with a dash"
	case strings.HasPrefix(want, "true"):
		return "write true or false"
	}
	return "write one value"
}

// typeName returns the type of a node in words.
func typeName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!str":
		return "a text"
	case "!!int":
		return "an integer"
	case "!!float":
		return "a floating-point number"
	case "!!bool":
		return "a truth value"
	case "!!null":
		return "nothing"
	}
	return "a value of type " + n.ShortTag()
}

// plain notes and answers false for anchors and aliases, which the form does not have.
func (d *decoder) plain(n *yaml.Node, subject string) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		d.add(n, CodeAlias, subject, "YAML anchors and aliases are not allowed", "write the value itself")
		return false
	}
	return true
}

// pairs calls f for each key of a mapping, after checking that keys are texts and none comes twice.
func (d *decoder) pairs(n *yaml.Node, at place, f func(k, v *yaml.Node)) bool {
	if !d.plain(n, at.subject) {
		return false
	}
	if n.Kind != yaml.MappingNode {
		d.wrongType(n, at, "a mapping")
		return false
	}
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !d.plain(k, at.subject) {
			continue
		}
		// `null` is a key of atoms, and a word that YAML reads as nothing.
		if k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str" && k.Value != "null" {
			if k.ShortTag() == "!!merge" {
				d.add(k, CodeAlias, at.subject, "YAML merge keys are not allowed", "write the keys themselves")
			} else {
				d.wrongType(k, place{at.subject, "key"}, "a text")
			}
			continue
		}
		if first := seen[k.Value]; first != nil {
			d.add(k, CodeDuplicateKey, at.subject, fmt.Sprintf("key %s twice; first on line %d", show(k.Value), first.Line),
				"keep one of them")
			continue
		}
		seen[k.Value] = k
		f(k, v)
	}
	return true
}

// object reads a mapping of fixed form.
func (d *decoder) object(n *yaml.Node, at place, keys []key) bool {
	if d.tables != nil {
		d.tables(n, keys)
	}
	if d.adding != nil {
		keys = d.adding.limit(d, keys)
		d.adding = nil
	}
	given := make([]bool, len(keys))
	ok := d.pairs(n, at, func(k, v *yaml.Node) {
		i := slices.IndexFunc(keys, func(known key) bool { return known.name == k.Value })
		if i < 0 {
			d.add(k, CodeUnknownKey, at.subject, "unknown key "+show(k.Value), d.knownKey(k.Value, keys))
			return
		}
		given[i] = true
		keys[i].read(v, place{at.subject, k.Value})
	})
	if !ok {
		return false
	}
	for i, k := range keys {
		if k.must && !given[i] {
			d.add(n, CodeMissingKey, at.subject, "key "+k.name+" is missing", "add it")
		}
	}
	return true
}

// knownKey names the key that was meant, or lists all.
func (d *decoder) knownKey(name string, keys []key) string {
	if len(d.errs) >= maxSuggested {
		return ""
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	if fix := DidYouMean(name, names); fix != "" {
		return fix
	}
	slices.Sort(names)
	return "the keys here are " + strings.Join(names, ", ")
}

// show quotes a name that holds anything but the characters of identifiers and paths; a tag keeps the word before it.
func show(name string) string {
	for _, r := range bare(name) {
		if r < '!' || r > '~' {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// root parses a file into its one node; nil when it has none, with the reason noted.
func (d *decoder) root(data []byte, subject string) *yaml.Node {
	fail := func(line, col int, code, problem, fix string) *yaml.Node {
		d.errs = append(d.errs, Error{Pos: Pos{d.file, line, col}, Subject: subject, Problem: problem, Fix: fix, Code: code})
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		line, col := badByte(data)
		return fail(line, col, CodeEncoding, "the file is not UTF-8 here", "save it as UTF-8")
	}
	text := string(data)
	if line, col, problem, found := tooMuch(text, d.maxNodes); found {
		return fail(line, col, CodeTooMuch, problem, "split it, or write it another way")
	}
	tabs, line := false, 0
	for l := range strings.Lines(text) {
		line++
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; strings.Contains(indent, "\t") && strings.TrimSpace(l) != "" {
			fail(line, strings.IndexByte(indent, '\t')+1, CodeTab, "a tab indents this line", "use spaces")
			tabs = true
		}
	}
	if tabs {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if err == io.EOF || err == nil && (len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null") {
		return fail(1, 1, CodeEmpty, "the file is empty", "write it, or remove the file")
	}
	if err == nil {
		if err = dec.Decode(&second); err == nil {
			return fail(max(second.Line, 1), max(second.Column, 1), CodeSyntax, "a second document begins", "one file holds one document")
		}
	}
	if err != io.EOF {
		line, col, problem, fix := notYAML(data, err)
		return fail(line, col, CodeSyntax, problem, fix)
	}
	inFile(doc.Content[0], d.file)
	return doc.Content[0]
}

// inFile notes the file of a node and of all below it.
func inFile(n *yaml.Node, file string) {
	n.HeadComment = file
	for _, c := range n.Content {
		inFile(c, file)
	}
}

// badByte finds the first byte that is not UTF-8.
func badByte(data []byte) (line, col int) {
	line, col = 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		data = data[size:]
	}
	return line, col
}

// MemberPos is the place where a page, or what extends it, lists a member of a type or gives it a name; else that of the type.
func (e Entry) MemberPos(c string) Pos { return e.at("names", c, e.At("members", c)) }
