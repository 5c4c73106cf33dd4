package spec

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
)

func TestParseCases(t *testing.T) {
	text := `
- {id: a, verb: ibv_reg_mr, args: {access: IBV_ACCESS_LOCAL_WRITE|0x2, addr: null, length: 0o17, big: 18446744073709551615, on: true}, caps: {device_attr.max_mr: 5}}
- {id: 7, verb: ibv_x, args: {attr: &attr {x: -1}, list: [1, '@b', {y: 0X1f}]}}
- {verb: ibv_y, args: {attr: *attr}}
- verb: ibv_z
`
	got := must(ParseCases("c.yaml", []byte(text)))(t)
	n := big.NewInt
	want := []CallCase{
		{ID: "a", Verb: "ibv_reg_mr", Case: Case{
			Args: map[string]any{"access": "IBV_ACCESS_LOCAL_WRITE|0x2", "addr": nil, "length": n(15),
				"big": new(big.Int).SetUint64(1<<64 - 1), "on": true},
			Caps: map[string]any{"device_attr.max_mr": n(5)}, Pos: Pos{"c.yaml", 2, 3}}},
		{ID: n(7), Verb: "ibv_x", Case: Case{Args: map[string]any{"attr": map[string]any{"x": n(-1)},
			"list": []any{n(1), "@b", map[string]any{"y": n(31)}}}, Pos: Pos{"c.yaml", 3, 3}}},
		{Verb: "ibv_y", Case: Case{Args: map[string]any{"attr": map[string]any{"x": n(-1)}}, Pos: Pos{"c.yaml", 4, 3}}},
		{Verb: "ibv_z", Case: Case{Pos: Pos{"c.yaml", 5, 3}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestParseCasesJSON(t *testing.T) {
	got, err := ParseCases("c.json", []byte("[\n\t{\n\t\t\"verb\":\t\"ibv_x\",\n\t\t\"args\": {\"a\": \"@p\"}\n\t}\n]\n"))
	if err != nil || len(got) != 1 || got[0].Args["a"] != "@p" || got[0].Pos != (Pos{"c.json", 2, 2}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := ParseCases("c.json", []byte("[]")); err != nil || len(got) != 0 {
		t.Errorf("empty list: %v, %v", got, err)
	}
}

func TestParseCasesMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "c.yaml:1:1: cases: the file is empty; write it, or remove the file"},
		{"verb: x", "c.yaml:1:1: cases: a mapping where a list belongs; begin each entry with a dash"},
		{"- x", "c.yaml:1:3: case: a text where a mapping belongs; write key: value"},
		{"- {id: a}", "c.yaml:1:3: case a: key verb is missing; add it"},
		{"- {verb: x, args: {a: @b}}",
			"c.yaml:1:1: cases: not YAML: found character that cannot start any token; put a value that begins with @ in quotes"},
		{"- {verb: 5}", "c.yaml:1:10: case: verb: an integer where a text belongs; put it in quotes: \"5\""},
	} {
		got, err := ParseCases("c.yaml", []byte(tt.text))
		if err == nil || got != nil || err.Error() != tt.want {
			t.Errorf("%s: got\n%v\nwant\n%s", tt.text, err, tt.want)
		}
	}
}

// A mistake within a case is a problem of that case alone.
func TestParseCasesProblems(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{verb: x, arg: {}}", "unknown key arg; did you mean args?"},
		{"{verb: x, args: [1]}", "args is no mapping; write {name: value}"},
		{"{verb: x, args: 5, caps: a}", "args is no mapping; write {name: value}|caps is no mapping; write {name: value}"},
		{"{verb: x, id: [1]}", "id: a list where a text or an integer belongs; write one value"},
		{"{verb: x, args: {a: 1.5}}", "a: 1.5 is a floating-point number, which no argument is; write an integer"},
		{"{verb: x, args: {a: [1e3]}}", "a: 1e3 is a floating-point number, which no argument is; write an integer"},
		{"{verb: x, args: {a: 1, a: 2}}", "key a twice; first on line 2; keep one of them"},
		{"{verb: x, args: {a: 010}}", "a: 010 is not an integer of this form; write decimal, 0x hexadecimal or 0o octal"},
		{"{verb: x, args: {1: 2}}", `key: an integer where a text belongs; put it in quotes: "1"`},
		{"&a {verb: x, args: {a: *a}}", "the value is nested too deeply, or too large; split it"},
	} {
		got, err := ParseCases("c.yaml", []byte("- {verb: a, id: 1}\n- "+tt.text+"\n- {verb: b, id: 18446744073709551616}\n"))
		if err != nil || len(got) != 3 {
			t.Errorf("%s: %v, %v", tt.text, got, err)
			continue
		}
		if text := strings.Join(got[1].Problems, "|"); text != tt.want || got[0].Problems != nil || got[2].Problems != nil {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.text, text, tt.want)
		}
	}
}

func TestCaseIDs(t *testing.T) {
	got, err := ParseCases("c.yaml",
		[]byte("- {verb: a, id: true}\n- {verb: a, id: 1.0}\n- {verb: a, id: null}\n- {verb: a, id: .5}\n- {verb: a, id: 2001-01-01}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []any{true, json.Number("1.0"), nil, ".5", "2001-01-01"} {
		if got[i].ID != want || got[i].Problems != nil {
			t.Errorf("ID %d: %v (%T), want %v; %v", i, got[i].ID, got[i].ID, want, got[i].Problems)
		}
	}
}

func TestParseCaps(t *testing.T) {
	got, err := ParseCaps("caps.yaml", []byte("device_attr: {max_mr: 0x10}\nport_attr[1].max_msg_sz: 3\n"))
	want := map[string]any{"device_attr": map[string]any{"max_mr": big.NewInt(16)}, "port_attr[1].max_msg_sz": big.NewInt(3)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseCaps("caps.yaml", []byte("[1]")); err == nil || got != nil ||
		err.Error() != "caps.yaml:1:1: caps: the file is no mapping; write {name: value}" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestParseValue(t *testing.T) {
	n := big.NewInt
	for text, want := range map[string]any{
		"5": n(5), "0x10": n(16), "-1": n(-1), "null": nil, "NULL": nil, "@buf": "@buf", "A|B": "A|B", "": "", "true": true,
		"{context: @c, list: [@a, @b.c]}": map[string]any{"context": "@c", "list": []any{"@a", "@b.c"}},
	} {
		got, err := ParseValue("attr", text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	if got, err := ParseValue("attr", "{x: "); err == nil || got != nil ||
		err.Error() != "attr:1:1: attr: not YAML: this { is never closed; close it with }" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestParseInt(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "12": 12, "-12": -12, "+3": 3, "0xfF": 255, "-0x10": -16, "0o17": 15} {
		if got, ok := ParseInt(text); !ok || got.Int64() != want {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	long := "12345678901234567890123456789012345678901234567890"
	if got, ok := ParseInt(long); !ok || got.String() != long {
		t.Errorf("%s: %v, %v", long, got, ok)
	}
	for _, text := range []string{"", "-", "--1", "010", "0x", "0x-1", "1_000", "1e3", "1.0", "x", "0b1"} {
		if got, ok := ParseInt(text); ok {
			t.Errorf("%q: read as %v", text, got)
		}
	}
}

// TestManyCases: a file of more cases than fit into 1 GiB is refused before it is parsed.
func TestManyCases(t *testing.T) {
	_, err := ParseCases("c.yaml", bytes.Repeat([]byte("- {id: 7, verb: ibv_alloc_pd, args: {}}\n"), 260_000))
	if err == nil || !strings.Contains(err.Error(), "more than 1572864 lists, mappings and values stand in the file up to here; split it") {
		t.Errorf("%v, want the limit", err)
	}
}
