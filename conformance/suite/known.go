package suite

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

//go:embed known.json
var knownJSON []byte

// Defect is a way to fail that is the provider's or the kernel's own. A case that fails only in such ways is "known".
type Defect struct {
	Provider string      `json:"provider"` // kernel driver
	Kernels  KernelRange `json:"kernels"`
	Case     string      `json:"case"`
	Observed string      `json:"observed"` // stands in what the case says when it fails
	Evidence string      `json:"evidence"` // how it is known that the bindings are not the cause
	Harm     bool        `json:"harm"`     // the kernel may not survive the case, which is not run therefore
}

// KernelRange is a range of kernel releases. An empty end is open.
type KernelRange struct {
	From   string `json:"from"`   // the first release that has the defect: "6.1"
	Before string `json:"before"` // the first one that has it no more
}

// Defects is the list of them.
type Defects []Defect

// KnownDefects returns the embedded list.
func KnownDefects() (Defects, error) { return ParseDefects(knownJSON) }

// ParseDefects reads a list strictly.
func ParseDefects(data []byte) (Defects, error) {
	var list Defects
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("known defects: %w", err)
	}
	for i, k := range list {
		if k.Provider == "" || k.Case == "" || k.Observed == "" || k.Evidence == "" {
			return nil, fmt.Errorf("known defects: entry %d: provider, case, observed and evidence are needed", i)
		}
		for _, v := range []string{k.Kernels.From, k.Kernels.Before} {
			if v != "" && !semver.IsValid(release(v)) {
				return nil, fmt.Errorf("known defects: entry %d: kernel %q is not of the form 6.1", i, v)
			}
		}
	}
	return list, nil
}

// release is the version that a kernel's release begins with, in the form of semver: "v6.1.0" of "6.1.0-50-amd64".
func release(s string) string {
	return "v" + strings.TrimRight(s[:len(s)-len(strings.TrimLeft(s, "0123456789."))], ".")
}

// holds reports whether a kernel release lies in the range. 6.1.0 is 6.1.
func (r KernelRange) holds(kernel string) bool {
	at := release(kernel)
	return (r.From == "" || semver.Compare(at, release(r.From)) >= 0) && (r.Before == "" || semver.Compare(at, release(r.Before)) < 0)
}

// of returns the defects that a case can meet on a device.
func (l Defects) of(provider, kernel, id string) Defects {
	var out Defects
	for _, d := range l {
		if d.Provider == provider && d.Case == id && d.Kernels.holds(kernel) {
			out = append(out, d)
		}
	}
	return out
}

// harmful returns a defect for which the case is not run, or nil.
func (l Defects) harmful() *Defect {
	if at := slices.IndexFunc(l, func(d Defect) bool { return d.Harm }); at >= 0 {
		return &l[at]
	}
	return nil
}

// explain returns a defect when every failure is one of the list's.
func (l Defects) explain(failures []string) *Defect {
	var found *Defect
	for _, f := range failures {
		at := slices.IndexFunc(l, func(d Defect) bool { return strings.Contains(f, d.Observed) })
		if at < 0 {
			return nil
		}
		found = &l[at]
	}
	return found
}
