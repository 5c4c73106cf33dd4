package spec

import (
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestEventOf asks that the page decides what each event of every known release concerns: it is nowhere in the header.
func TestEventOf(t *testing.T) {
	sp := must(Embedded(""))(t)
	of, enum := map[string]string{}, ""
	for e := range sp.Enums() {
		for _, x := range e.EventOf {
			enum = "enum " + e.Enum
			for _, c := range x.Events {
				of[c] = x.Of
			}
		}
	}
	for _, release := range api.Releases() {
		rel := must(api.Load(release))(t)
		events := 0
		for _, e := range rel.Enums {
			for _, m := range e.Enumerators {
				if e.Tag != enum {
					continue
				}
				if events++; of[m.Name] == "" {
					t.Errorf("%s: no page says what %s concerns", release, m.Name)
				}
			}
		}
		if events < 20 {
			t.Errorf("%s: %d events", release, events)
		}
	}
}

// TestCapPaths gives paths to capabilities, and one to a field.
func TestCapPaths(t *testing.T) {
	w := verbsWords()
	for path, want := range map[string]string{
		"device_attr_ex.orig_attr.max_qp": "device_attr.max_qp",
		"device_attr_ex.max_dm_size":      "device_attr_ex.max_dm_size",
		"port_attr[1].max_msg_sz":         "port_attr[1].max_msg_sz",
	} {
		if got := w.NormalCap(path); got != want || !w.IsCapPath(path) {
			t.Errorf("%s: %s, a capability path: %t", path, got, w.IsCapPath(path))
		}
	}
	if w.IsCapPath("attr.length") {
		t.Error("attr.length is taken for a capability path")
	}
}
