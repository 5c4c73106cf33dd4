package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// MaxSize is the largest report that is read, in bytes.
const MaxSize = 16 << 20

var caseID = regexp.MustCompile(`^CF-[a-z]+-[0-9]{4}$`)

// Encode gives the JSON of a report.
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

// Decode reads a report strictly: an unknown field, another version, a value that cannot be one, and anything behind the
// report are errors.
func Decode(data []byte) (*Report, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it has %d bytes, a report has at most %d", len(data), MaxSize)
	}
	var head struct {
		Schema  string `json:"schema"`
		Version int    `json:"version"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&head); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", readable(err, data))
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("it is JSON, but its schema is %q and not %q", head.Schema, Schema)
	}
	if head.Version < 1 || head.Version > Version {
		return nil, fmt.Errorf("it is a report of version %d; versions 1 to %d are read", head.Version, Version)
	}
	r := &Report{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, readable(err, data)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something stands behind the report", line(data, d.InputOffset()))
	}
	return r, r.check()
}

// readable adds the line to errors that know where they are.
func readable(err error, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", line(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %w", line(data, kind.Offset), err)
	}
	return err
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}

// check finds what the form alone does not.
func (r *Report) check() error {
	modes := []string{ModeSoftware, ModeDevice, ModeOverlay}
	if r.Device.Name == "" {
		return errors.New("device.name is empty")
	}
	if !slices.Contains(modes, r.Mode) {
		return fmt.Errorf("mode %q is none of %v", r.Mode, modes)
	}
	if r.Version == 1 && r.Peer != nil {
		return errors.New("peer, in a report of version 1, which has none")
	}
	if len(r.Cases) == 0 {
		return errors.New("it has no cases")
	}
	seen := map[string]bool{}
	for i := range r.Cases {
		c := &r.Cases[i]
		switch {
		case !caseID.MatchString(c.ID):
			return fmt.Errorf("cases[%d]: id %q is not of the form CF-family-0001", i, c.ID)
		case seen[c.ID]:
			return fmt.Errorf("cases[%d]: %s comes twice", i, c.ID)
		case c.Family == "":
			return fmt.Errorf("%s: family is empty", c.ID)
		case !slices.Contains([]Status{Pass, Fail, Skip, Known}, c.Status):
			return fmt.Errorf("%s: status %q is none of pass, fail, skip, known", c.ID, c.Status)
		case c.Status != Pass && c.Reason == "":
			return fmt.Errorf("%s: status %s without a reason", c.ID, c.Status)
		case c.Status != Skip && len(c.Lacks) > 0:
			return fmt.Errorf("%s: status %s, and yet it lacks %v", c.ID, c.Status, c.Lacks)
		case !slices.Contains(modes, c.Mode):
			return fmt.Errorf("%s: mode %q is none of %v", c.ID, c.Mode, modes)
		case r.Version == 1 && c.Observed != nil:
			return fmt.Errorf("%s: observed, in a report of version 1, which has none", c.ID)
		case slices.ContainsFunc(c.Observed, func(o Observation) bool { return o.What == "" || o.Answer == "" }):
			return fmt.Errorf("%s: observed holds an empty text", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}
