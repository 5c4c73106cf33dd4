package pack

import (
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"
)

type color struct{ name string }

var red, blue = &color{"red"}, &color{"blue"}

var colors = New(Named{Type: reflect.TypeFor[*color](), Name: func(p any) string { return p.(*color).name }, Find: func(name string) any {
	for _, c := range []*color{red, blue} {
		if c.name == name {
			return c
		}
	}
	return (*color)(nil)
}})

type leaf struct {
	Text  string
	hide  int
	Small uint8
	On    bool
}

type tree struct {
	Leaves []leaf
	next   *tree
	Words  map[string]string
	lists  map[string][]string
	Free   map[string]any
	Color  *color
	Big    *big.Int
	Zero   string
	Size   uint
	Bits   uint32
	Mask   uint64
	at     struct{ line, column int }
}

// sample has every kind of value, and two of each that a reader may confuse.
func sample() tree {
	t := tree{Leaves: []leaf{{"a", -5, 255, true}, {}, {Text: "a"}}, Words: map[string]string{"k": "v", "": "empty", "e": ""},
		lists: map[string][]string{"nil": nil, "none": {}, "two": {"x", "y"}}, Color: blue, Big: big.NewInt(1 << 40), Size: 1 << 63,
		Bits: 1<<32 - 1, Mask: 1<<64 - 1, next: &tree{Color: red, Leaves: []leaf{}, Words: map[string]string{}},
		Free: map[string]any{"nil": nil, "text": "t", "yes": true, "no": false, "n": big.NewInt(-3), "list": []any{"a", []any{}, nil},
			"map": map[string]any{"deep": big.NewInt(0)}}}
	t.at.line, t.at.column = -1, 1<<40
	return t
}

// TestRead writes values and reads them back.
func TestRead(t *testing.T) {
	w := colors.NewWriter()
	first, second := w.Write(sample()), w.Write(leaf{hide: 7, Text: "later"})
	table, rest, err := ReadTable(string(w.Table()) + "rest")
	if err != nil || rest != "rest" {
		t.Fatal(rest, err)
	}
	var got tree
	if err := colors.Read(table, string(first), &got); err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("read %+v, want %+v: %v", got, sample(), err)
	}
	if got.Color != blue || got.next.Color != red {
		t.Error("a value with a name is another one than that of the name")
	}
	var l leaf
	if err := colors.Read(table, string(second), &l); err != nil || l != (leaf{hide: 7, Text: "later"}) {
		t.Errorf("read %+v: %v", l, err)
	}
	if again := colors.NewWriter().Write(sample()); string(again) != string(first) {
		t.Error("the bytes depend on the order of a map")
	}
}

// TestTogether reads with one new codec from several goroutines.
func TestTogether(t *testing.T) {
	w := colors.NewWriter()
	text := string(w.Write(sample()))
	table, _, err := ReadTable(string(w.Table()))
	if err != nil {
		t.Fatal(err)
	}
	c := New(colors.named...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var got tree
			if err := c.Read(table, text, &got); err != nil || !reflect.DeepEqual(got, sample()) {
				t.Errorf("read %+v: %v", got, err)
			}
		})
	}
	wg.Wait()
}

// TestDamaged reads what is cut short and what has wrong bytes: no panic, and an error for what ends early.
func TestDamaged(t *testing.T) {
	w := colors.NewWriter()
	text := string(w.Write(sample()))
	table, _, err := ReadTable(string(w.Table()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(text) {
		var v tree
		if err := colors.Read(table, text[:i], &v); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%d bytes of %d: %v", i, len(text), err)
		}
		for _, b := range []string{"\x00", "\x07", "\x7f", "\xff"} {
			var v tree
			colors.Read(table, text[:i]+b+text[i+1:], &v)
		}
	}
	if err := colors.Read(table, text+"\x00", new(tree)); err == nil {
		t.Error("bytes behind the value are not reported")
	}
	full := string(w.Table())
	for i := range len(full) {
		if _, _, err := ReadTable(full[:i]); err == nil {
			t.Errorf("a table of %d bytes of %d is read", i, len(full))
		}
	}
}

// TestDescribe tells types apart.
func TestDescribe(t *testing.T) {
	a, b := colors.Describe(struct{ N []int }{}), colors.Describe(struct{ N []uint }{})
	if a == b || a != colors.Describe(struct{ N []int }{}) {
		t.Errorf("%q and %q", a, b)
	}
	defer func() {
		if r := recover(); r == nil {
			t.Error("a type that cannot be stored is taken")
		}
	}()
	colors.Describe(struct{ F func() }{})
}
