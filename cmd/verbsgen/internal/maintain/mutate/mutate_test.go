package mutate

import (
	"strings"
	"testing"
)

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
/* int not_here(int x); */
int pump_open(struct pump *pump, int flags);
int pump_close(struct pump *pump, int flags);
static inline int pump_stop(struct pump *pump)
{
	int rc = 0;

	return pump->serial ? rc : !rc;
}
`

// TestMutants has each kind of damage done to a header with a place for all of them, twice: the same comes out.
func TestMutants(t *testing.T) {
	a, b := New(7, header), New(7, header)
	for i, kind := range Kinds() {
		m := a.Mutant(i)
		if m.Kind != kind || m.Note == "" {
			t.Errorf("%d: %+v, want %s", i, m, kind)
		}
		if m.Text == "" || m.Text == header {
			t.Errorf("%s: no damage: %s", kind, m.Note)
		}
		if b.Mutant(i) != m {
			t.Errorf("%s: another mutant of the same seed", kind)
		}
	}
	if New(8, header).Mutant(0) == a.Mutant(0) && New(8, header).Mutant(len(Kinds())) == a.Mutant(len(Kinds())) {
		t.Error("the seed makes no difference")
	}
}

func TestRead(t *testing.T) {
	s := read(header)
	var names []string
	for _, d := range s.spans {
		names = append(names, d.kind+" "+d.name)
	}
	want := "include stdint.h, macro LIMIT, enum mode, record pump, function pump_open, function pump_close, inline function pump_stop"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("declarations %s, want %s", got, want)
	}
	if len(s.fields) != 2 || len(s.enumerators) != 2 {
		t.Errorf("fields in lines %v, enumerators in lines %v", s.fields, s.enumerators)
	}
}
