package spec

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:generate go test . -run TestCompiledPages -update

// compiledPages has the nodes of the pages of the default module, so that commands need not parse YAML: that took a fifth of the time of
// generate. TestCompiledPages describes the form, writes it with -update, and fails while it is out of date. A page is found by the hash of
// its text: one that was changed since is parsed as YAML.
//
//go:embed compiled.bin
var compiledPages []byte

// compiledShapes are the kinds, styles and tags of nodes. A shape is stored as its index.
var compiledShapes = []yaml.Node{
	{Kind: yaml.ScalarNode, Tag: "!!str"},
	{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle},
	{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.SingleQuotedStyle},
	{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle},
	{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.FoldedStyle},
	{Kind: yaml.ScalarNode, Tag: "!!int"},
	{Kind: yaml.ScalarNode, Tag: "!!bool"},
	{Kind: yaml.ScalarNode, Tag: "!!float"},
	{Kind: yaml.ScalarNode, Tag: "!!null"},
	{Kind: yaml.MappingNode, Tag: "!!map"},
	{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle},
	{Kind: yaml.SequenceNode, Tag: "!!seq"},
	{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle},
}

// compiledIndex finds the nodes of a page by the hash of its text.
var compiledIndex = sync.OnceValue(func() map[[sha256.Size]byte][]byte {
	index := map[[sha256.Size]byte][]byte{}
	for rest := compiledPages; len(rest) > sha256.Size; {
		hash := [sha256.Size]byte(rest)
		size, n := binary.Uvarint(rest[sha256.Size:])
		rest = rest[sha256.Size+n:]
		if n <= 0 || size > uint64(len(rest)) {
			break
		}
		index[hash], rest = rest[:size], rest[size:]
	}
	return index
})

// compiled returns the root of a page that was compiled; nil for another text.
func compiled(data []byte) *yaml.Node {
	code := compiledIndex()[sha256.Sum256(data)]
	if code == nil {
		return nil
	}
	r := nodeReader{text: string(data), code: code}
	nodes, children := r.number(), r.number()
	if r.bad || nodes > len(code) || children > len(code) {
		return nil
	}
	r.nodes, r.children = make([]yaml.Node, nodes), make([]*yaml.Node, children)
	if root := r.node(); !r.bad {
		return root
	}
	return nil
}

// nodeReader reads the nodes of one page. Nodes, lists of children and texts are parts of one memory each.
type nodeReader struct {
	text     string
	code     []byte
	at       int // in text, the end of the last value
	line     int // of the last node
	nodes    []yaml.Node
	children []*yaml.Node
	bad      bool
}

// number reads a number that is not negative.
func (r *nodeReader) number() int {
	v, n := binary.Uvarint(r.code)
	if n <= 0 || v > maxPage {
		r.bad = true
		return 0
	}
	r.code = r.code[n:]
	return int(v)
}

// node reads a node and those below it.
func (r *nodeReader) node() *yaml.Node {
	shape, line, column := r.number(), r.number(), r.number()
	if r.bad || shape >= len(compiledShapes) || len(r.nodes) == 0 {
		r.bad = true
		return nil
	}
	n := &r.nodes[0]
	r.nodes = r.nodes[1:]
	*n = compiledShapes[shape]
	r.line += line
	n.Line, n.Column = r.line, column
	if n.Kind == yaml.ScalarNode {
		n.Value = r.value()
		return n
	}
	count := r.number()
	if count > len(r.children) {
		r.bad = true
		return nil
	}
	if count > 0 {
		n.Content, r.children = r.children[:count:count], r.children[count:]
	}
	for i := range n.Content {
		if n.Content[i] = r.node(); r.bad {
			return nil
		}
	}
	return n
}

// value reads a text: a part of the page, or, where that is written in another way, the text itself.
func (r *nodeReader) value() string {
	skip, size := r.number(), r.number()
	if skip == 0 {
		if size > len(r.code) {
			r.bad = true
			return ""
		}
		own := string(r.code[:size])
		r.code = r.code[size:]
		return own
	}
	from := r.at + skip - 1
	if from+size > len(r.text) {
		r.bad = true
		return ""
	}
	r.at = from + size
	return r.text[from:r.at]
}
