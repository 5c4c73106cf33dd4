package spec

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec/api"
)

const pumpModule = `module: pump
header: pump.h
library: libpump.so.1
probe: pump_open
package: pump
prefixes: [pump_]
root: Pump
objects:
  pump: [level, size]
properties:
  level: uint64_t
synonyms:
  pump.level: size
capabilities:
  caps: {c: pump_caps, holds: {inner: more}}
  more: {c: pump_more}
`

const pumpPage = `page: pump
title: pumps
release: "1.0"
objects:
  Pump: {c: pump, parents: [], destroy: pump_close, doc: a pump}
unions:
  Rate: {c: pump_rate, shows: fast, hide: {slow: the same}, doc: a rate}
`

// pumpFacts are what the header of the pump declares.
var pumpFacts = &api.Release{
	Functions: []api.Function{{Name: "pump_open", Ret: "struct pump *"}, {Name: "pump_close", Ret: "int"}},
	Records: []api.Record{{Tag: "struct pump"}, {Tag: "struct pump_more"},
		{Tag: "struct pump_caps", Fields: []api.Field{{Name: "inner", Type: "struct pump_more"}}},
		{Tag: "union pump_rate", Fields: []api.Field{{Name: "fast", Type: "int"}, {Name: "slow", Type: "int"}}}},
}

// TestModuleMistakes makes one mistake at a time in a module.yaml or on its page.
func TestModuleMistakes(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"", "", ""},
		{"pump: [level, size]", "pmp: [level, size]",
			"module.yaml:9:3: module pump: objects: no known release has struct pmp; did you mean pump?"},
		{"level: uint64_t", "levels: uint64_t",
			"module.yaml:11:3: module pump: properties: no object has the property levels; did you mean level?"},
		{"level: uint64_t", "level: uint65_t",
			"module.yaml:11:10: module pump: properties.level: level is a uint65_t, which is not a C type of the header"},
		{"level: uint64_t", "level: struct nothing *", "which is not a C type of the header"},
		{"level: uint64_t", "level: enum nothing", "which is not a C type of the header"},
		{"level: uint64_t", "level: struct pump *", ""},
		{"pump.level: size", "pump.levl: size",
			"module.yaml:13:3: module pump: synonyms: there is no property levl of an object pump; did you mean level?"},
		{"pump.level: size", "pump.level: sise", "there is no property sise of an object pump; did you mean size?"},
		{"pump.level: size", "level: size", "there is no property"},
		{"c: pump_more", "c: pump_nothing",
			"module.yaml:16:3: module pump: capabilities: no known release has struct pump_nothing, which more stands for; correct it"},
		{"inner: more", "iner: more", "module.yaml:15:3: module pump: struct pump_caps has no field iner; did you mean inner?"},
		{"inner: more", "inner: mor",
			"module.yaml:15:3: module pump: capabilities: caps holds mor, and no capabilities are called so; did you mean more?"},
		{"[pump_]", "[pump_, pimp_]",
			"module.yaml:6:19: module pump: prefixes: no name of the header begins with pimp_; correct it, or remove it"},
		{"root: Pump", "root: Pimp", "module.yaml:7:7: module pump: root: no page has an object Pimp; did you mean Pump?"},
		{"root: Pump", "facts: pump.txt",
			"module.yaml:7:8: module: facts: pump.txt names no stored facts; remove it: facts are stored for verbsgen's"},
		{"{slow:", "{fast:", "pump.yaml:7:44: Rate: the member fast is both shown (pump.yaml:7:31) and hidden; keep one of them"},
		{"Pump: {c", "Pu\u3164mp: {c", "pump.yaml:5:3: Pu\u3164mp: "},
		{"a pump}", "a\u3164pump}", `contains the invisible character \u3164; remove it`},
	} {
		files := fstest.MapFS{}
		for name, text := range map[string]string{"module.yaml": pumpModule, "pump.yaml": pumpPage} {
			if tt.old != "" {
				text = strings.Replace(text, tt.old, tt.new, 1)
			}
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		s, err := Load(files)
		if err == nil {
			err = s.CheckNames(pumpFacts)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.new, got, tt.want)
		}
	}
}

// TestUsesFolder loads a module whose uses: names the folder of its own pages, or none that is there.
func TestUsesFolder(t *testing.T) {
	for use, want := range map[string]string{
		"other: {pages: .}":    "module.yaml:10:3: other: the pages in . are those of module pump; correct the name",
		"other: {pages: none}": "module.yaml:10:3: other: pages: none cannot be read: no such file or directory; correct pages:, or the folder",
		"pump: {pages: .}":     "module.yaml:10:3: pump: it stands on pump itself; let modules stand on others in one direction",
	} {
		module, _, _ := strings.Cut(pumpModule, "objects:")
		_, err := layers(t, map[string]string{"module.yaml": module + "objects: {pump: []}\nuses:\n  " + use + "\n", "pump.yaml": pumpPage})
		if err == nil || regexp.MustCompile(`\S*/`).ReplaceAllString(err.Error(), "") != want {
			t.Errorf("%s: %v, want %s", use, err, want)
		}
	}
}

// TestExtensionHidesWhatIsShown extends a union by hiding the member that its Go type is made of.
func TestExtensionHidesWhatIsShown(t *testing.T) {
	_, err := layers(t, map[string]string{"mine.yaml": "extends: ibv_query_gid\nunions: {GID: {hide: {raw: why}}}\n"})
	want := "mine.yaml:2:23: GID: the member raw is both shown (spec/verbs/ibv_query_gid.go.yaml:6:"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
