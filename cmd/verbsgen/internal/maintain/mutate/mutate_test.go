package mutate

import "testing"

const header = `#include <stdint.h>
#define LIMIT 7
enum mode {
	MODE_A = 1,
	MODE_B,
};
struct pump {
	uint32_t	serial;
	uint32_t	*rates;
};
struct rate {
	int	a;
};
int pump_open(struct pump *pump, int flags);
int pump_close(struct pump *pump, int flags);
static inline int pump_stop(struct pump *pump)
{
	int rc = 0;

	return pump->serial ? rc : !rc;
}
/* the end */
#endif
`

const page = `page: pump
title: pumps
objects:
  Pump:
    c: pump
    parents: []
    doc: a pump
verbs:
  pump_open:
    returns: null_errno
    params: {nr: {role: in}}
rules:
  - id: VR-pump_open-nr-0001
    values: [1, 2, 3]
`

// TestMutants has each kind of damage done to files with a place for all of them, twice: the same comes out.
func TestMutants(t *testing.T) {
	headers := map[string]string{"pump.h": header}
	pages := map[string]string{"pump.yaml": page, "module.yaml": "module: pump\nheader: pump.h\n"}
	for name, c := range map[string]struct {
		make  func(seed uint64) *Set
		files map[string]string
	}{
		"header": {func(seed uint64) *Set { return Header(seed, []string{"pump.h"}, headers) }, headers},
		"pages":  {func(seed uint64) *Set { return Pages(seed, pages) }, pages},
	} {
		a, b, other := c.make(7), c.make(7), c.make(8)
		differ := 0
		for i, kind := range a.Kinds() {
			m := a.Mutant(i)
			if m.Kind != kind || m.Note == "" || m.Text == "" || m.Text == c.files[m.File] {
				t.Errorf("%s: %s: no damage: %+v", name, kind, m)
			}
			if b.Mutant(i) != m {
				t.Errorf("%s: %s: another mutant of the same seed", name, kind)
			}
			if other.Mutant(i) != m {
				differ++
			}
		}
		if differ < len(a.Kinds())/2 {
			t.Errorf("%s: with another seed only %d kinds differ", name, differ)
		}
	}
}
