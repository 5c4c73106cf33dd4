package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The facts of all releases of a header are stored together, those of verbs.h in facts.txt. The file begins with one line for
// each release, oldest first:
//
//	release 39.0 git:v39.0
//
// the name, and where the facts were read. Then comes a line for each fact, with the first and the last release that has
// it, the kind of the fact, and the fact as JSON:
//
//	28.0-43.0 enum {"tag":"enum ibv_qp_type",...}
//	33.0- enumerator {"name":"IBV_QPT_DRIVER","value":255}
//
// "33.0-" means that the newest release has it. The lines of one release, taken from top to bottom, are its facts in the
// order of the header; fields and enumerators follow the record or enum that they belong to. So the file is as long as
// the newest header, plus a line for each thing that ever changed. Places in the header are kept as the name of the file,
// without a line: lines move with every release, and are known when a header is read.

// Kinds of facts.
const (
	KindFunction   = "function"
	KindRecord     = "record"
	KindField      = "field"
	KindEnum       = "enum"
	KindEnumerator = "enumerator"
	KindMacro      = "macro"
	KindAlias      = "alias"
	KindTypedef    = "typedef"
	KindVariable   = "variable"
)

// fact is one line of the stored facts.
type fact struct {
	first, last int // indexes of releases
	open        bool
	kind        string
	owner       string // tag of the record or enum that a field or enumerator belongs to
	data        string
	value       any // what the data is, if it was read: a Function, a Record and so on
}

// history is the stored facts of all releases.
type history struct {
	releases []string          // oldest first
	sources  map[string]string // release -> where its facts were read
	header   string            // its name, for the first line
	facts    []fact
}

// parseHistory reads what format wrote.
func parseHistory(text string) (*history, error) {
	h := &history{sources: map[string]string{}}
	index := map[string]int{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "release "); ok {
			name, source, _ := strings.Cut(rest, " ")
			if _, twice := index[name]; twice || name == "" || len(h.facts) > 0 {
				return nil, fmt.Errorf("line %d: release %q twice, without a name, or behind the first fact", n, name)
			}
			index[name] = len(h.releases)
			h.releases = append(h.releases, name)
			h.sources[name] = source
			continue
		}
		f, err := parseFact(line, index, len(h.releases)-1)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		h.facts = append(h.facts, f)
	}
	if !slices.IsSortedFunc(h.releases, Compare) {
		return nil, errors.New("the releases are not in order, oldest first")
	}
	return h, nil
}

// parseFact reads one line.
func parseFact(line string, index map[string]int, newest int) (fact, error) {
	span, rest, _ := strings.Cut(line, " ")
	kind, data, ok := strings.Cut(rest, " ")
	first, last, dash := strings.Cut(span, "-")
	from, known := index[first]
	f := fact{first: from, last: newest, open: last == "", kind: kind, data: data}
	if !f.open {
		if to, ok := index[last]; ok {
			f.last = to
		} else {
			known = false
		}
	}
	if !ok || !dash || !known || f.last < f.first {
		return fact{}, fmt.Errorf("%.60q is not FIRST-LAST KIND FACT, with known releases", line)
	}
	read := readers[kind]
	if read == nil {
		return fact{}, fmt.Errorf("unknown kind of fact %q", kind)
	}
	var err error
	if f.value, err = read(data); err != nil {
		return fact{}, fmt.Errorf("%w in %.80s", err, data)
	}
	return f, nil
}

// readers read the data of facts.
var readers = map[string]func(data string) (any, error){
	KindFunction: read[Function], KindRecord: read[Record], KindField: read[Field], KindEnum: read[Enum], KindEnumerator: read[Enumerator],
	KindMacro: read[Macro], KindAlias: read[Alias], KindTypedef: read[Typedef], KindVariable: read[Variable],
}

func read[T any](data string) (any, error) {
	var v T
	err := json.Unmarshal([]byte(data), &v)
	return v, err
}

// format writes the history as text.
func (h *history) format() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		"# What %s declares in each release of rdma-core. Written by `verbsgen import`; spec/api/history.go has the form.\n",
		cmp.Or(h.header, "the header"))
	for _, r := range h.releases {
		b.WriteString(strings.TrimRight("release "+r+" "+h.sources[r], " ") + "\n")
	}
	for _, f := range h.facts {
		last := ""
		if !f.open {
			last = h.releases[f.last]
		}
		fmt.Fprintf(&b, "%s-%s %s %s\n", h.releases[f.first], last, f.kind, f.data)
	}
	return b.Bytes()
}

// before returns the history up to a release, without it.
func (h *history) before(release string) *history {
	n := 0
	for n < len(h.releases) && Compare(h.releases[n], release) < 0 {
		n++
	}
	out := &history{releases: h.releases[:n:n], sources: h.sources, header: h.header}
	for _, f := range h.facts {
		if f.first < n {
			f.last = min(f.last, n-1)
			f.open = f.last == n-1
			out.facts = append(out.facts, f)
		}
	}
	return out
}

// release puts the facts of one release together, in values that nothing else has.
func (h *history) release(name string) (*Release, error) {
	return h.build(name, func(f fact) any {
		v, _ := readers[f.kind](f.data) // as parseFact did
		return v
	})
}

// shared is release with values that others have too: nobody changes them.
func (h *history) shared(name string) (*Release, error) {
	return h.build(name, func(f fact) any { return f.value })
}

func (h *history) build(name string, value func(fact) any) (*Release, error) {
	at := slices.Index(h.releases, name)
	if at < 0 {
		return nil, &UnknownError{name, slices.Clone(h.releases)}
	}
	rel := &Release{Release: name, Functions: []Function{}, Records: []Record{}, Enums: []Enum{}, Macros: []Macro{}}
	for _, f := range h.facts {
		if f.first > at || at > f.last {
			continue
		}
		if err := rel.add(value(f)); err != nil {
			return nil, fmt.Errorf("facts of %s: %w", name, err)
		}
	}
	return rel, nil
}

// add appends one fact to a release. A field has the place of its record.
func (rel *Release) add(value any) error {
	switch v := value.(type) {
	case Function:
		rel.Functions = append(rel.Functions, v)
	case Record:
		v.Fields = []Field{}
		rel.Records = append(rel.Records, v)
	case Field:
		n := len(rel.Records)
		if n == 0 {
			return errors.New("a field before the first record")
		}
		r := &rel.Records[n-1]
		v.Pos = Pos{File: r.Pos.File}
		r.Fields = append(r.Fields, v)
	case Enum:
		rel.Enums = append(rel.Enums, v)
	case Enumerator:
		n := len(rel.Enums)
		if n == 0 {
			return errors.New("an enumerator before the first enum")
		}
		rel.Enums[n-1].Enumerators = append(rel.Enums[n-1].Enumerators, v)
	case Macro:
		rel.Macros = append(rel.Macros, v)
	case Alias:
		rel.Aliases = append(rel.Aliases, v)
	case Typedef:
		rel.Typedefs = append(rel.Typedefs, v)
	case Variable:
		rel.Variables = append(rel.Variables, v)
	}
	return nil
}
