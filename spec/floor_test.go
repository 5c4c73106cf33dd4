package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// The oldest release of the floor is the oldest whose facts are known, and REFERENCE.md names the floor.
func TestFloor(t *testing.T) {
	if oldest := api.Releases()[0]; oldest != FloorRelease {
		t.Errorf("the floor is %s, the oldest known release %s", FloorRelease, oldest)
	}
	readme := must(os.ReadFile("REFERENCE.md"))(t)
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(readme), "**", "")), " ")
	if want := "from " + Floor() + " on"; !strings.Contains(text, want) {
		t.Errorf("docs/page.keys.yaml does not say %q", want)
	}
}

func TestBelow(t *testing.T) {
	for _, tt := range []struct {
		at   Platform
		want bool
	}{
		{Platform{}, false},
		{Platform{Provider: "mlx5"}, false},
		{Platform{Provider: "mlx5", Kernel: Kernel{6, 1}}, false},
		{Platform{Provider: "mlx5", Kernel: Kernel{5, 19}}, true},
		{Platform{Provider: VFIO}, true},
		{Platform{Provider: VFIO, Kernel: Kernel{6, 12}}, true},
	} {
		if got := tt.at.Below(); got != tt.want {
			t.Errorf("%+v is below the floor: %v, want %v", tt.at, got, tt.want)
		}
	}
}

// An error rests on the kernel or the library from the floor on: an entry that begins later does not say what happens before.
func TestErrorsHoldFromTheFloorOn(t *testing.T) {
	s := must(Embedded(""))(t)
	for _, r := range s.Rules() {
		newer := r.Verb == "ibv_query_port_speed" // it begins with linux 7.2
		if r.Severity != SeverityError || len(r.RefusedBy) == 0 || newer {
			continue
		}
		covered := false
		for i := range r.RefusedBy {
			p := &r.RefusedBy[i]
			covered = covered || !FloorKernel.Before(p.Kernels.From) && (p.Kernels.End == (Kernel{}) || FloorKernel.Before(p.Kernels.End))
		}
		if !covered {
			t.Errorf("%s: nobody is known to refuse the call on linux %s; add an entry, or write severity: lint", r.ID, FloorKernel)
		}
	}
}

// No kernel looks at the calls of mlx5 over VFIO: what the kernel refuses is no answer for it.
func TestVFIOHasNoKernel(t *testing.T) {
	s := must(Embedded(""))(t)
	all := func([]Atom) bool { return true }
	at := Platform{Provider: VFIO, Kernel: Kernel{6, 12}}
	for _, tt := range []struct {
		id   string
		want Answer
	}{
		{"VR-ibv_reg_mr-access-0001", AnswerAccepted},   // LOCAL_WRITE is not looked at
		{"VR-ibv_reg_mr_iova-iova-0039", AnswerAltered}, // pages of its own
		{"VR-ibv_reg_mr-access-0005", AnswerRefused},    // a flag that it does not have
		{"VR-ibv_dealloc_pd-pd-0147", AnswerUnknown},    // the kernel refuses that
		{"VR-ibv_reg_mr-addr-0008", AnswerUnknown},      // libibverbs refuses that in its commands to the kernel
	} {
		if got := s.RuleByID(tt.id).AnswerOf(at, all); got != tt.want {
			t.Errorf("%s: %s answers %d, want %d", tt.id, VFIO, got, tt.want)
		}
	}
}
