package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar returns the text of a scalar of one of the tags.
func (d *decoder) scalar(n *yaml.Node, at place, want string, tags ...string) (string, bool) {
	if !d.plain(n, at.subject) {
		return "", false
	}
	if n.Kind == yaml.ScalarNode {
		for _, t := range tags {
			if n.ShortTag() == t {
				return n.Value, true
			}
		}
	}
	d.wrongType(n, at, want)
	return "", false
}

// text reads a text that is not empty.
func (d *decoder) text(to *string) reader {
	return func(n *yaml.Node, at place) {
		d.keep(to, n, at, "a text", "!!str")
	}
}

// keep reads a value of some types, as text that is not empty.
func (d *decoder) keep(to *string, n *yaml.Node, at place, want string, tags ...string) {
	s, ok := d.scalar(n, at, want, tags...)
	switch {
	case !ok:
	case strings.TrimSpace(s) == "":
		d.add(n, CodeValue, at.subject, at.key+" is empty", "write it, or leave the key out")
	case d.legible(n, at, s):
		*to = s
		d.mark(n, at.key, s)
	}
}

// operand reads a text or an integer, kept as text.
func (d *decoder) operand(to *string) reader {
	return func(n *yaml.Node, at place) {
		if _, whole := ParseInt(n.Value); whole && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!float" {
			d.add(n, CodeValue, at.subject, at.key+": "+show(n.Value)+" is out of the range of 64 bits", "write -2^63 to 2^64-1")
			return
		}
		d.keep(to, n, at, "a text or an integer", "!!str", "!!int")
	}
}

// oneOf reads a text of a closed list.
func (d *decoder) oneOf(to *string, values ...string) reader {
	return func(n *yaml.Node, at place) {
		s, ok := d.scalar(n, at, "a text", "!!str")
		if !ok {
			return
		}
		for _, v := range values {
			if s == v {
				*to = s
				d.mark(n, at.key, s)
				return
			}
		}
		fix := cmp.Or(DidYouMean(s, values), "write one of "+strings.Join(values, ", "))
		d.add(n, CodeValue, at.subject, at.key+": "+show(s)+" is not known here", fix)
	}
}

// count reads a number of things, at least one.
func (d *decoder) count(to *int, most int64) reader {
	return func(n *yaml.Node, at place) {
		text := ""
		d.operand(&text)(n, at)
		if i, ok := ParseInt(text); ok && i.IsInt64() && i.Int64() >= 1 && i.Int64() <= most {
			*to = int(i.Int64())
			return
		}
		d.add(n, CodeValue, at.subject, show(text)+" is no count of 1 to "+strconv.FormatInt(most, 10), "correct "+at.key+":")
	}
}

// truth reads true or false.
func (d *decoder) truth(to *bool) reader {
	return func(n *yaml.Node, at place) {
		s, ok := d.scalar(n, at, "true or false", "!!bool")
		if !ok {
			return
		}
		*to = strings.EqualFold(s, "true")
		d.mark(n, at.key, "")
	}
}

// truthPtr reads true or false where being left out differs from false.
func (d *decoder) truthPtr(to **bool) reader {
	return func(n *yaml.Node, at place) {
		if s, ok := d.scalar(n, at, "true or false", "!!bool"); ok {
			b := strings.EqualFold(s, "true")
			*to = &b
		}
	}
}

// list calls f for each element of a list.
func (d *decoder) list(n *yaml.Node, at place, f func(e *yaml.Node)) {
	if !d.plain(n, at.subject) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.wrongType(n, at, "a list")
		return
	}
	if d.maxNodes == maxPageNodes && len(n.Content) > maxListed {
		d.add(n.Content[maxListed], CodeTooMuch, at.subject, fmt.Sprintf("%s: the list has more than %d entries", at.key, maxListed),
			"write it another way")
		return
	}
	for _, e := range n.Content {
		f(e)
	}
}

// marked keeps the place of a value that may hold no text, under its key.
func (d *decoder) marked(read reader) reader {
	return func(n *yaml.Node, at place) {
		d.mark(n, at.key, "")
		read(n, at)
	}
}

// mayBeEmpty are the keys of lists that say something when they are empty: an object without parents, a constructor without
// arguments.
var mayBeEmpty = []string{"parents", "new"}

// notEmpty refuses a list without entries, unless it may have none.
func (d *decoder) notEmpty(n *yaml.Node, at place) {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 && !slices.Contains(mayBeEmpty, at.key) {
		d.add(n, CodeValue, at.subject, at.key+": an empty list", "name one at least, or leave the key out")
	}
}

// many reads a list without repeats.
func (d *decoder) many(to *[]string, one func(*string) reader) reader {
	return func(n *yaml.Node, at place) {
		had := len(*to)
		d.notEmpty(n, at)
		d.list(n, at, func(e *yaml.Node) {
			var s string
			one(&s)(e, at)
			switch i := slices.Index(*to, s); {
			case s == "":
			case i < 0:
				*to = append(*to, s)
			case i < had:
				d.clash(e, at, s, Entry{marks: d.marks}.At(at.key, s))
			default:
				d.add(e, CodeDuplicateKey, at.subject, at.key+": "+show(s)+" twice in the list", "keep one of them")
			}
		})
	}
}

// textMap reads a mapping of names to texts.
func (d *decoder) textMap(to *map[string]string, one func(*string) reader) reader {
	return func(n *yaml.Node, at place) {
		d.pairs(n, at, func(k, v *yaml.Node) {
			if _, taken := (*to)[k.Value]; taken {
				d.clash(k, at, k.Value, Entry{marks: d.marks}.At(at.key, k.Value))
				return
			}
			var s string
			one(&s)(v, place{at.subject, at.key + "." + k.Value})
			d.mark(k, at.key, k.Value)
			if *to == nil {
				*to = map[string]string{}
			}
			(*to)[k.Value] = s
		})
	}
}

// named calls one for each entry of a mapping keyed by name, in the order of the file.
func (d *decoder) named(one func(name string, k, v *yaml.Node)) reader {
	return func(n *yaml.Node, at place) {
		d.mark(n, at.key, "")
		d.pairs(n, at, func(k, v *yaml.Node) {
			if strings.TrimSpace(k.Value) == "" {
				d.add(k, CodeValue, at.subject, at.key+": an empty name", "name the entry")
				return
			}
			one(k.Value, k, v)
		})
	}
}
