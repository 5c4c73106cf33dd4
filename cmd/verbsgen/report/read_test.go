package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// good is a report of one case.
func good() *Report {
	return &Report{Schema: Schema, Version: Version, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Mode: ModeDevice,
		Device: Device{Name: "rxe0"},
		Cases: []Case{{ID: "CF-mr-0001", Family: "f", Title: "t", Mode: ModeDevice, Status: Fail, Reason: "r", Lacks: nil, Duration: 5,
			Observed: []Observation{{"x", "ok"}}}}}
}

// TestMistakes changes one text of a report each, and has exactly the mistakes given.
func TestMistakes(t *testing.T) {
	data, err := Encode(good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"status": "fail"`, `"status": 7`, "31:17: cases.status: a JSON number does not belong here"},
		{`"answer": "ok"`, `"answer": ""`, "cases[0].observed[0].answer: it is empty"},
		{`"mode": "device",`, `"mode": "device", "colour": {"red": [1, 2]},`, `report: unknown field "colour"`},
		{`"vendor_id": 0`, `"vendor_id": -1`, "21:19: device.vendor_id: a JSON number -1 does not belong here"},
		{`"version": 2`, `"version": "2"`, "3:16: version: a JSON string does not belong here"},
		{`"version": 2`, `"version": 3`, "version: it is a report of version 3; versions 1 to 2 are read"},
		{`"duration_s": 0.000000,`, `"duration_s": -1,`, "report: a duration of -1 s"},
		{`"duration_s": 0.000000,`, `"duration_s": 31622400.5,`, "report: a duration of 3.16224005e+07 s"},
		{`"duration_s": 0.000000,`, `"duration_s": 31622400,`, ""},
		{`"name": "rxe0",`, ``, "device.name: it is empty"},
		{`"capabilities": null`, `"capabilities": nul`,
			"24:22: report: it is not JSON: invalid character ',' in literal null (expecting 'l')"},
		{`"reason": "r",`, ``, "cases[0].reason: status fail needs a reason"},
		{`"status": "fail"`, `"status": "ok"`, `cases[0].status: "ok" is none of pass, fail, skip, known`},
		{`"cases": [`, `"cases": [{"id": "CF-mr-0001", "family": "f", "mode": "device", "status": "pass"},`,
			"cases[1].id: CF-mr-0001 comes twice"},
		{`"version": 2`, `"version": 1, "peer": {}`, "peer: a report of version 1 has none\ncases[0].observed: a report of version 1 has none"},
		{Schema, "something", `schema: it is JSON, but its schema is "something" and not "verbsgen-conformance"`},
	} {
		text := strings.Replace(string(data), c.old, c.new, 1)
		_, err := Decode([]byte(text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if strings.Contains(got, "Go ") || strings.Contains(got, "json:") || got != c.want {
			t.Errorf("%.60s: got\n%s\nwant\n%s", c.new, got, c.want)
		}
	}
	head, _, _ := strings.Cut(string(data), `"cases": [`)
	for text, want := range map[string]string{
		head + `"cases": []}`: "cases: it has no cases",
		"[1]":                 "1:1: report: a JSON array does not belong here", "": "1:1: report: it is not JSON: unexpected end of JSON input",
		string(data) + "x":                           "43:1: report: it is not JSON: invalid character 'x' after top-level value",
		strings.Repeat("[", 1<<20):                   "exceeded max depth",
		strings.TrimSuffix(string(data), "  ]\n}\n"): "unexpected end of JSON input",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got\n%v\nwant\n%s", text, err, want)
		}
	}
}

// TestVisible writes what cannot be seen as escapes, in Markdown and in the page.
func TestVisible(t *testing.T) {
	r := good()
	hostile := "a\x00b\u202ec\x1b[31m\u200bd\u00a0e\nf\\|g|<b>`*_[x]~&amp;\\"
	r.Device.Name, r.Device.Provider, r.Host.Name = hostile, hostile, hostile
	r.Cases[0].Family, r.Cases[0].Title, r.Cases[0].Reason = hostile, hostile, hostile
	data, err := Encode(r)
	if err != nil || !bytes.Contains(data, []byte("<b>")) {
		t.Fatalf("%v\n%s", err, data)
	}
	if r, err = Decode(data); err != nil {
		t.Fatal(err)
	}
	var md, page bytes.Buffer
	m := NewMatrix([]*Report{r})
	if err := m.Markdown(&md); err != nil {
		t.Fatal(err)
	}
	if err := m.HTML(&page,
		`{{range .Columns}}{{.Device}} {{.Host}} {{.Provider}}{{end}}{{range .Families}}{{.Name}}{{range `+
			`.Rows}}{{.Title}}{{end}}{{end}}{{range .Notes}}{{.Text}}{{end}}`); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"Markdown": md.String(), "page": page.String()} {
		if strings.ContainsAny(text, "\x00\u202e\x1b\u200b\u00a0") {
			t.Errorf("%s shows raw: %q", name, text)
		}
		if !strings.Contains(text, `a\x00b\u202ec\x1b`) {
			t.Errorf("%s does not show the escapes: %q", name, text)
		}
	}
	if want := `a\x00b\u202ec\x1b\[31m\u200bd\u00a0e f\\\|g\|&lt;b>` + "\\`" + `\*\_\[x]\~&amp;amp;\\ |`; !strings.Contains(md.String(),
		want) {
		t.Errorf("Markdown:\n%s\nlacks\n%s", md.String(), want)
	}
}
