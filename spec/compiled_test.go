package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// compiler writes the nodes of one page:
//
//	page   = hash of the text, size of what follows, number of nodes, number of children, the root
//	node   = shape, lines since the node before, column, and then a value or the number of children and these
//	value  = bytes since the value before plus one, size; or 0, size, the text
//
// All numbers are varints.
type compiler struct {
	text     string
	out      []byte
	at, line int
	nodes    int
	children int
	err      error
}

func (c *compiler) number(n int) {
	if n < 0 {
		c.err = fmt.Errorf("line %d: a negative number", c.line)
	}
	c.out = binary.AppendUvarint(c.out, uint64(n))
}

func (c *compiler) node(n *yaml.Node) {
	shape := slices.IndexFunc(compiledShapes, func(s yaml.Node) bool { return s.Kind == n.Kind && s.Style == n.Style && s.Tag == n.Tag })
	if shape < 0 {
		c.err = fmt.Errorf("line %d: compiledShapes has no kind %d, style %d, tag %s", n.Line, n.Kind, n.Style, n.Tag)
	}
	c.number(max(shape, 0))
	c.number(n.Line - c.line)
	c.number(n.Column)
	c.line = n.Line
	c.nodes++
	if n.Kind == yaml.ScalarNode {
		c.value(n.Value)
		return
	}
	c.number(len(n.Content))
	c.children += len(n.Content)
	for _, e := range n.Content {
		c.node(e)
	}
}

func (c *compiler) value(s string) {
	skip := strings.Index(c.text[c.at:], s)
	if skip < 0 || skip > 1000 { // a folded text; by chance it may come again far below
		c.number(0)
		c.number(len(s))
		c.out = append(c.out, s...)
		return
	}
	c.number(skip + 1)
	c.number(len(s))
	c.at += skip + len(s)
}

// compilePage returns the compiled form of one page.
func compilePage(data []byte) ([]byte, error) {
	d := &decoder{file: "page", maxNodes: maxPageNodes}
	root := d.root(data, "page")
	if root == nil {
		return nil, d.errs
	}
	c := compiler{text: string(data)}
	c.node(root)
	body := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(c.nodes)), uint64(c.children))
	body = append(body, c.out...)
	hash := sha256.Sum256(data)
	return append(binary.AppendUvarint(hash[:], uint64(len(body))), body...), c.err
}

// TestCompiledPages holds the compiled pages to the YAML: each page of the default module has the nodes that the YAML parser makes of it,
// but for comments, which nothing reads.
func TestCompiledPages(t *testing.T) {
	names, err := fs.Glob(pages, path.Join(folders()[DefaultModule], "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	var want []byte
	for _, name := range names {
		data, err := fs.ReadFile(pages, name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := compilePage(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want = append(want, page...)
	}
	if *update {
		if err := os.WriteFile("compiled.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, compiledPages) {
		t.Errorf("compiled.bin is out of date: run go generate ./spec")
	}
	for _, name := range names {
		data, err := fs.ReadFile(pages, name)
		if err != nil {
			t.Fatal(err)
		}
		d := &decoder{file: name, maxNodes: maxPageNodes}
		root := d.root(data, name)
		if got := compiled(data); got != nil && !reflect.DeepEqual(got, withoutComments(root)) {
			t.Errorf("%s: the compiled nodes are not those of the YAML", name)
		}
	}
}

func withoutComments(n *yaml.Node) *yaml.Node {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		withoutComments(c)
	}
	return n
}

// TestCompiledChanged shows that a page which was changed after it was compiled is read anew, and that damaged code is not used.
func TestCompiledChanged(t *testing.T) {
	data := []byte("page: ibv_x\nnotes:\n  - a text\n")
	page, err := compilePage(data)
	if err != nil {
		t.Fatal(err)
	}
	index := compiledIndex()
	add := func(code []byte) { index[sha256.Sum256(data)] = code }
	defer delete(index, sha256.Sum256(data))
	_, n := binary.Uvarint(page[sha256.Size:])
	code := page[sha256.Size+n:]
	add(code)
	if n := compiled(data); n == nil || n.Content[3].Content[0].Value != "a text" {
		t.Error("the compiled page is not found")
	}
	if compiled(append([]byte("# "), data...)) != nil {
		t.Error("a changed page is taken for the compiled one")
	}
	for i := range code {
		add(code[:i])
		if compiled(data) != nil {
			t.Errorf("code that ends after %d bytes of %d makes a page", i, len(code))
		}
		for _, b := range []byte{0, 13, 127, 255} {
			damaged := slices.Clone(code)
			damaged[i] = b
			add(damaged)
			compiled(data) // does not panic
		}
	}
}
