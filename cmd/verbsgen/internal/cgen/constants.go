package cgen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// enum writes e with the value of each enumerator.
func (w *writer) enum(e *api.Enum) {
	w.line("")
	open := e.Tag
	if strings.Contains(open, "<") {
		open = "enum"
	}
	if slices.ContainsFunc(e.Enumerators, func(v api.Enumerator) bool { return v.Value > 1<<31-1 || v.Value < -1<<31 }) {
		open = "__extension__ " + open // ISO C keeps enumerators within int
	}
	w.line("%s {", open)
	for _, v := range e.Enumerators {
		w.line("\t%s = %s,", v.Name, cInt(v.Value))
	}
	w.line("};")
}

// cInt is v as a C constant; the least int64 has no literal of its own.
func cInt(v int64) string {
	switch {
	case v == -1<<63:
		return "(-9223372036854775807LL - 1)"
	case v > 1<<31-1 || v < -1<<31:
		return fmt.Sprintf("%dLL", v)
	}
	return fmt.Sprint(v)
}

// macroText is the replacement of a macro.
func macroText(m api.Macro) string {
	switch v := m.Value.(type) {
	case int64:
		switch {
		case v > 1<<31-1:
			return fmt.Sprintf("%#xULL", v)
		case v < 0:
			return "(" + cInt(v) + ")"
		}
		return cInt(v)
	case uint64:
		return fmt.Sprintf("%dULL", v)
	}
	return fmt.Sprint(m.Value)
}

// FactsHash identifies the facts by content. Neither the release's name nor
// any position in a header counts, so that a header given by path and its stored facts have one hash.
func FactsHash(rel *api.Release) string {
	c := *rel
	c.Release = ""
	c.Functions = edited(rel.Functions, func(f *api.Function) { f.Pos = api.Pos{} })
	c.Records = edited(rel.Records, func(r *api.Record) {
		r.Pos, r.Fields = api.Pos{}, edited(r.Fields, func(f *api.Field) { f.Pos = api.Pos{} })
	})
	c.Enums = edited(rel.Enums, func(e *api.Enum) {
		e.Pos, e.Enumerators = api.Pos{}, edited(e.Enumerators, func(m *api.Enumerator) { m.Line = 0 })
	})
	c.Macros = edited(rel.Macros, func(m *api.Macro) {
		m.Pos = api.Pos{}
		m.Value = macroText(*m)
	})
	c.Aliases = edited(rel.Aliases, func(a *api.Alias) { a.Pos = api.Pos{} })
	c.Typedefs = edited(rel.Typedefs, func(t *api.Typedef) { t.Pos = api.Pos{} })
	c.Variables = edited(rel.Variables, func(v *api.Variable) { v.Pos = api.Pos{} })
	data, err := json.Marshal(c)
	if err != nil {
		return "unknown" // a Release holds nothing that JSON cannot
	}
	return sum(data)
}

// edited is a copy of a list with edited elements.
func edited[T any](list []T, edit func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		edit(&list[i])
	}
	return list
}

// sum is the first 16 hexadecimal digits of a SHA-256.
func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:8])
}
