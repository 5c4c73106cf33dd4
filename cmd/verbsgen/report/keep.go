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
		c.Duration = 0
		if !titles {
			c.Title, c.Page, c.Rules = "", "", nil
		}
		if !answers {
			c.Observed = nil
		}
		if data, err = line(c); err != nil {
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

// line returns the JSON of a value as one line, without its end.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
