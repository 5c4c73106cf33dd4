package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MaxSize is the largest report that is read, in bytes.
const MaxSize = 16 << 20

var caseID = regexp.MustCompile(`^CF-[a-z]+-[0-9]{4}$`)

// Encode returns the JSON of a report.
func Encode(r *Report) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Mistake is one thing that is wrong in a report.
type Mistake struct {
	Line, Col int    // from 1, the column in bytes; 0 where a field alone says where
	Field     string // "cases[3].status"; empty for the report as a whole
	Problem   string
}

// Error returns the place, the field and the problem.
func (m Mistake) Error() string {
	text := cmp.Or(m.Field, "report") + ": " + m.Problem
	if m.Line == 0 {
		return text
	}
	return fmt.Sprintf("%d:%d: %s", m.Line, m.Col, text)
}

// Mistakes is all that is wrong in a report.
type Mistakes []Mistake

// Error returns one line for each mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Decode reads a report strictly: an unknown field, another version, a value that cannot be one, and anything behind the
// report are errors. The error is Mistakes.
func Decode(data []byte) (*Report, error) {
	if len(data) > MaxSize {
		return nil, Mistakes{{Problem: fmt.Sprintf("it has %d bytes, a report has at most %d", len(data), MaxSize)}}
	}
	var head struct {
		Schema  string `json:"schema"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, Mistakes{decoding(data, err)}
	}
	switch {
	case head.Schema != Schema:
		return nil, Mistakes{{Field: "schema", Problem: fmt.Sprintf("it is JSON, but its schema is %q and not %q", head.Schema, Schema)}}
	case head.Version < 1 || head.Version > Version:
		return nil, Mistakes{{Field: "version",
			Problem: fmt.Sprintf("it is a report of version %d; versions 1 to %d are read", head.Version, Version)}}
	}
	r := &Report{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, Mistakes{decoding(data, err)}
	}
	if wrong := r.check(); len(wrong) > 0 {
		return nil, wrong
	}
	return r, nil
}

// decoding makes a mistake of an error of package json.
func decoding(data []byte, err error) Mistake {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		m := at(data, syntax.Offset)
		m.Problem = "it is not JSON: " + syntax.Error()
		return m
	case errors.As(err, &kind):
		m := at(data, kind.Offset)
		m.Field, m.Problem = kind.Field, "a JSON "+kind.Value+" does not belong here"
		return m
	}
	return Mistake{Problem: strings.TrimPrefix(err.Error(), "json: ")}
}

// at is the place of the last of so many bytes.
func at(data []byte, n int64) Mistake {
	before := data[:max(n-1, 0)]
	return Mistake{Line: 1 + bytes.Count(before, []byte("\n")), Col: len(before) - bytes.LastIndexByte(before, '\n')}
}

// check finds what the types alone do not.
func (r *Report) check() Mistakes {
	var found Mistakes
	add := func(bad bool, field, format string, args ...any) {
		if bad {
			found = append(found, Mistake{Field: field, Problem: fmt.Sprintf(format, args...)})
		}
	}
	modes := []string{ModeSoftware, ModeDevice, ModeOverlay}
	add(r.Device.Name == "", "device.name", "it is empty")
	add(!slices.Contains(modes, r.Mode), "mode", "%q is none of %s", r.Mode, strings.Join(modes, ", "))
	add(r.Version == 1 && r.Peer != nil, "peer", "a report of version 1 has none")
	add(len(r.Cases) == 0, "cases", "it has no cases")
	seen := map[string]bool{}
	for i := range r.Cases {
		c := &r.Cases[i]
		at := func(field string) string { return fmt.Sprintf("cases[%d].%s", i, field) }
		add(!caseID.MatchString(c.ID), at("id"), "%q is not of the form CF-family-0001", c.ID)
		add(seen[c.ID], at("id"), "%s comes twice", c.ID)
		add(c.Family == "", at("family"), "it is empty")
		known := slices.Contains([]Status{Pass, Fail, Skip, Known}, c.Status)
		add(!known, at("status"), "%q is none of pass, fail, skip, known", c.Status)
		add(known && c.Status != Pass && c.Reason == "", at("reason"), "status %s needs a reason", c.Status)
		add(known && c.Status != Skip && len(c.Lacks) > 0, at("lacks"), "status is %s, and yet the device lacks %s", c.Status,
			strings.Join(c.Lacks, ", "))
		add(!slices.Contains(modes, c.Mode), at("mode"), "%q is none of %s", c.Mode, strings.Join(modes, ", "))
		add(r.Version == 1 && c.Observed != nil, at("observed"), "a report of version 1 has none")
		for j, o := range c.Observed {
			add(o.What == "", fmt.Sprintf("%s[%d].what", at("observed"), j), "it is empty")
			add(o.Answer == "", fmt.Sprintf("%s[%d].answer", at("observed"), j), "it is empty")
		}
		seen[c.ID] = true
	}
	return found
}
