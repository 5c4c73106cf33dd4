package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// String returns "file:line:col", only the file where the line is not known, and "" for the zero value.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// Short returns "file:line" for use in a sentence, or only the file where the line is not known, as in stored facts.
func (p Pos) Short() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// MarshalText is the JSON form, that of String.
func (p Pos) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Pos) UnmarshalText(text []byte) error {
	s := string(text)
	*p = Pos{File: s}
	if !strings.Contains(s, ":") {
		return nil
	}
	rest, col, ok1 := cutLast(s)
	file, line, ok2 := cutLast(rest)
	if !ok1 || !ok2 || line == 0 {
		return fmt.Errorf("position %q is not file:line:col", s)
	}
	*p = Pos{File: file, Line: line, Col: col}
	return nil
}

func cutLast(s string) (string, int, bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil && n >= 0
}

// UnmarshalJSON keeps every integer exact: int64 where it fits, else uint64.
func (m *Macro) UnmarshalJSON(data []byte) error {
	var raw struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
		Pos   Pos             `json:"pos"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*m = Macro{Name: raw.Name, Pos: raw.Pos}
	text := string(raw.Value)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		m.Value = n
		return nil
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		m.Value = n
		return nil
	}
	var s string
	if err := json.Unmarshal(raw.Value, &s); err != nil {
		return fmt.Errorf("macro %s: value %s is neither an integer nor a string", raw.Name, text)
	}
	m.Value = s
	return nil
}

// Marshal returns the JSON of a release in the order of the header, with one declaration, member or enumerator on each
// line, so that a diff shows the changes between two releases. The release is null for a header given by path.
func Marshal(rel *Release) ([]byte, error) {
	w := &writer{}
	w.raw("{\n\"release\": ")
	if rel.Release == "" {
		w.raw("null")
	} else {
		w.value(rel.Release)
	}
	list(w, "functions", rel.Functions, func(f Function) { w.value(f) })
	list(w, "records", rel.Records, w.record)
	list(w, "enums", rel.Enums, w.enum)
	list(w, "macros", rel.Macros, func(m Macro) { w.value(m) })
	optional(w, "aliases", rel.Aliases)
	optional(w, "typedefs", rel.Typedefs)
	optional(w, "variables", rel.Variables)
	w.raw("\n}\n")
	return w.buf.Bytes(), w.err
}

// writer keeps the first error.
type writer struct {
	buf bytes.Buffer
	err error
}

func (w *writer) raw(s string) { w.buf.WriteString(s) }

// value writes v as compact JSON, with < and > as they are.
func (w *writer) value(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// with writes v, whose last member is an empty list, with the elements of that list on lines of their own.
func with[T any](w *writer, v any, elems []T) {
	var head writer
	head.value(v)
	if head.err != nil && w.err == nil {
		w.err = head.err
	}
	w.raw(strings.TrimSuffix(head.buf.String(), "]}"))
	for i, e := range elems {
		if i > 0 {
			w.raw(",")
		}
		w.raw("\n ")
		w.value(e)
	}
	w.raw("]}")
}

func (w *writer) record(r Record) {
	with(w, struct {
		Record
		Fields []Field `json:"fields"` // in place of the record's, behind its other members
	}{r, []Field{}}, r.Fields)
}

func (w *writer) enum(e Enum) {
	with(w, struct {
		Enum
		Enumerators []Enumerator `json:"enumerators"`
	}{e, []Enumerator{}}, e.Enumerators)
}

func list[T any](w *writer, name string, elems []T, write func(T)) {
	w.raw(",\n\"" + name + "\": [")
	for i, e := range elems {
		if i > 0 {
			w.raw(",")
		}
		w.raw("\n")
		write(e)
	}
	w.raw("\n]")
}

func optional[T any](w *writer, name string, elems []T) {
	if len(elems) > 0 {
		list(w, name, elems, func(e T) { w.value(e) })
	}
}
