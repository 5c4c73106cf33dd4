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
		{`"status": "fail"`, `"status": 7`, "32:17: cases[0].status: a text belongs here, not a number"},
		{`"answer": "ok"`, `"answer": ["ok", {"a": [1]}]`, "38:21: cases[0].observed[0].answer: a text belongs here, not a list"},
		{`"answer": "ok"`, `"answer": ""`, "38:21: cases[0].observed[0].answer: it is empty"},
		{`"what": "x"`, `"what": "x", "what": null`,
			"37:24: cases[0].observed[0].what: the field comes twice\n37:32: cases[0].observed[0].what: a text belongs here, not null"},
		{`"mode": "device",`, `"mode": "device", "colour": {"red": [1, 2]},`, "6:21: colour: a report has no such field"},
		{`"vendor_id": 0`, `"vendor_id": -1`, "21:18: device.vendor_id: an integer from 0 to 4294967295 belongs here, not -1"},
		{`"vendor_id": 0`, `"vendor_id": "0"`, "21:18: device.vendor_id: an integer belongs here, not a text"},
		{`"version": 2`, `"version": "2"`, "3:14: version: an integer belongs here, not a text"},
		{`"version": 2`, `"version": 2.5`, "3:14: version: it is a report of version 2.5; versions 1 to 2 are read"},
		{`"started": "2026-01-02T03:04:05Z"`, `"started": "today"`,
			`4:14: started: a time such as 2026-01-02T03:04:05Z belongs here, not "today"`},
		{`"duration_s": 0.000000,`, `"duration_s": -1,`, "5:17: duration_s: a number of seconds between 0 and a year belongs here, not -1"},
		{`"name": "rxe0"`, `"name": "", "vendor_id": 7`, "21:5: device.vendor_id: the field comes twice"},
		{`"name": "rxe0"`, `"name": ""`, "18:13: device.name: it is empty"},
		{`"name": "rxe0",`, ``, "17:13: device.name: it is empty"},
		{`"capabilities": null`, `"capabilities": false`, "24:19: capabilities: a list belongs here, not false"},
		{`"capabilities": null`, `"capabilities": [7, 8]`,
			"24:20: capabilities[0]: an object belongs here, not a number\n24:23: capabilities[1]: an object belongs here, not a number"},
		{`"capabilities": null`, `"capabilities": [{"name": "x", "has": 1}]`,
			"24:41: capabilities[0].has: true or false belongs here, not a number"},
		{`"capabilities": null`, `"capabilities": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
			"24:20: capabilities[0]: an object belongs here, not a list\n24:121: report: lists and objects are nested more than 100 deep"},
		{`"capabilities": null`, `"capabilities": nul`,
			"24:22: report: it is not a JSON object: invalid character ',' in literal null (expecting 'l')"},
		{`"reason": "r",`, ``, "26:5: cases[0].reason: status fail needs a reason"},
		{`"peer_device"`, `"peer_device"`, ""},
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
	for text, want := range map[string]string{
		"[1]": "1:1: report: an object belongs here, not a list", "": "1:1: report: it is not a JSON object: it ends too early",
		`{"schema": 7}`:                              "1:12: schema: it is JSON",
		string(data) + "x":                           "44:1: report: there is text after the report",
		strings.Repeat("[", 1<<20):                   "exceeded max depth",
		strings.TrimSuffix(string(data), "  ]\n}\n"): "it ends too early",
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
	if err != nil {
		t.Fatal(err)
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
