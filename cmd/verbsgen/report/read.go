package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Mistake is one thing that is wrong in a report, at its place.
type Mistake struct {
	Line, Col int    // from 1; the column in bytes
	Field     string // "cases[3].status"; empty for the report as a whole
	Problem   string
}

// Error returns the place, the field and the problem.
func (m Mistake) Error() string {
	return fmt.Sprintf("%d:%d: %s: %s", m.Line, m.Col, cmp.Or(m.Field, "report"), m.Problem)
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
		return nil, Mistakes{{1, 1, "", fmt.Sprintf("it has %d bytes, a report has at most %d", len(data), MaxSize)}}
	}
	f := &form{data: data}
	if err := f.head(); err != nil {
		return nil, err
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	r := &Report{}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(r); err != nil { // form has found everything that it finds
		return nil, Mistakes{f.syntax(err, d.InputOffset())}
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, Mistakes{f.mistake(f.start(end), "", "there is text after the report")}
	}
	if wrong := r.check(); len(wrong) > 0 {
		return nil, f.place(wrong)
	}
	return r, nil
}

// head looks whether the file is a report of a version that is read.
func (f *form) head() error {
	var head struct {
		Schema  any `json:"schema"`
		Version any `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(f.data))
	var kind *json.UnmarshalTypeError
	if err := d.Decode(&head); errors.As(err, &kind) {
		return nil // read says what belongs there
	} else if err != nil {
		m := f.syntax(err, d.InputOffset())
		m.Problem = "it is not a JSON object: " + m.Problem
		return Mistakes{m}
	}
	schema, text := head.Schema.(string)
	version, number := head.Version.(float64)
	switch {
	case !text && head.Schema != nil:
		return f.place([]wrong{{"schema", fmt.Sprintf("it is JSON, but its schema is not %q", Schema)}})
	case schema != Schema:
		return f.place([]wrong{{"schema", fmt.Sprintf("it is JSON, but its schema is %q and not %q", schema, Schema)}})
	case number && (version < 1 || version > Version), head.Version == nil:
		return f.place([]wrong{{"version", fmt.Sprintf("it is a report of version %v; versions 1 to %d are read", version, Version)}})
	}
	return nil
}

// wrong is a mistake without its place.
type wrong struct{ field, problem string }

// check finds what the form alone does not.
func (r *Report) check() []wrong {
	var found []wrong
	add := func(bad bool, field, format string, args ...any) {
		if bad {
			found = append(found, wrong{field, fmt.Sprintf(format, args...)})
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
