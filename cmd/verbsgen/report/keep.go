package report

import (
	"bytes"
	"encoding/json"
	"path"
)

// Keep returns the JSON of a report without times of cases and the library's folder, with a line for each case: the form in which the
// repository has reports, which [Decode] reads as any other. Titles, man pages and rules of the cases, which all reports have in common,
// and answers are left out unless asked for.
func Keep(r *Report, titles, answers bool) ([]byte, error) {
	head := *r
	head.Cases = nil
	head.Library.Name = path.Base(head.Library.Name)
	data, err := line(head)
	if err != nil {
		return nil, err
	}
	out := append(bytes.TrimSuffix(data, []byte("null}")), '[')
	for i, c := range r.Cases {
		k := keptCase{ID: c.ID, Family: c.Family, Mode: c.Mode, Status: c.Status, Lacks: c.Lacks, Reason: c.Reason, Evidence: c.Evidence}
		if titles {
			k.Title, k.Page, k.Rules = c.Title, c.Page, c.Rules
		}
		if answers {
			k.Observed = c.Observed
		}
		if data, err = line(k); err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), data...)
	}
	out = append(out, "\n]}\n"...)
	if folder := path.Dir(r.Library.Name); folder != "." { // reasons name the library too
		out = bytes.ReplaceAll(out, []byte(folder+"/"), nil)
	}
	return out, nil
}

// keptCase has the fields of [Case] that Keep writes.
type keptCase struct {
	ID       string        `json:"id"`
	Family   string        `json:"family"`
	Title    string        `json:"title,omitempty"`
	Page     string        `json:"page,omitempty"`
	Rules    []string      `json:"rules,omitempty"`
	Mode     string        `json:"mode"`
	Status   Status        `json:"status"`
	Lacks    []string      `json:"lacks,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Evidence string        `json:"evidence,omitempty"`
	Observed []Observation `json:"observed,omitempty"`
}

// line returns the JSON of a value as one line, without its end.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
