package mutate

import "testing"

const pageText = `page: pump
title: pumps
objects:
  Pump: {c: pump, parents: [], destroy: pump_close, doc: a pump}
verbs:
  pump_open:
    returns: null_errno
    params: {nr: {role: in}}
rules:
  - id: VR-pump_open-nr-0001
    values: [1, 2, 3]
`

// TestPageMutants has each kind of damage done to a page, twice: the same comes out.
func TestPageMutants(t *testing.T) {
	files := map[string]string{"pump.yaml": pageText, "module.yaml": "module: pump\nheader: pump.h\n"}
	a, b, other := NewPages(7, files), NewPages(7, files), NewPages(8, files)
	differs := false
	for i, kind := range PageKinds() {
		m := a.Mutant(i)
		if m.Kind != kind || m.Text == "" || m.Text == files[m.File] {
			t.Errorf("%s: no damage: %+v", kind, m)
		}
		if b.Mutant(i) != m {
			t.Errorf("%s: another mutant of the same seed", kind)
		}
		differs = differs || other.Mutant(i) != m
	}
	if !differs {
		t.Error("the seed makes no difference")
	}
}
