package spec

import (
	"strings"
	"testing"
)

func TestParseKernels(t *testing.T) {
	for _, tt := range []struct {
		text    string
		in, out []string
	}{
		{">=6.12", []string{"6.12", "6.12.107+deb13-amd64", "7.0"}, []string{"6.1", "6.11.9", "5.20"}},
		{"<6.12", []string{"5.15", "6.1.0-50-amd64", "6.11"}, []string{"6.12", "6.12.1", "7.2"}},
		{"6.1..7.2", []string{"6.1", "6.12", "7.2.13"}, []string{"6.0", "7.3", "5.9"}},
		{"6.1", []string{"6.1", "6.1.192"}, []string{"6.0", "6.2", "6.12"}},
	} {
		r, ok := ParseKernels(tt.text)
		if !ok {
			t.Errorf("%s is not read", tt.text)
		}
		for _, list := range [][]string{tt.in, tt.out} {
			for _, s := range list {
				k, ok := ParseKernel(s)
				if want := &list[0] == &tt.in[0]; !ok || r.Has(k) != want {
					t.Errorf("%s has %s: %v, want %v", tt.text, s, r.Has(k), want)
				}
			}
		}
	}
	for _, s := range []string{"", "6", "6.1.2", ">6.1", "<=6.1", ">= 6.1", "7.2..6.1", "6.1..", "..6.1", "06.1", "6.01", "6.1-rc1", "=6.1"} {
		if r, ok := ParseKernels(s); ok {
			t.Errorf("%q is read as %v", s, r)
		}
	}
	for _, s := range []string{"", "6", "six", "v6.1", "6.1x", "99999.1"} {
		if k, ok := ParseKernel(s); ok {
			t.Errorf("kernel %q is read as %v", s, k)
		}
	}
}

func TestKernelsOverlap(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"6.1", "6.1", true}, {"6.1", "6.2", false}, {"<6.12", ">=6.12", false}, {"<6.12", "6.1..7.2", true}, {">=6.1", ">=7.2", true},
		{"6.1..6.12", "7.2", false},
	} {
		a, _ := ParseKernels(tt.a)
		b, _ := ParseKernels(tt.b)
		if a.overlaps(b) != tt.want || b.overlaps(a) != tt.want {
			t.Errorf("%s and %s overlap: %v, want %v", tt.a, tt.b, a.overlaps(b), tt.want)
		}
	}
	every := Kernels{}
	if one, _ := ParseKernels("6.1"); !every.overlaps(one) || !one.overlaps(every) {
		t.Error("an entry without a kernel is about every kernel")
	}
}

// A party that names the provider comes before one that does not; without the kernel, a party that names one is not
// known to be meant.
func TestAnswerOf(t *testing.T) {
	s, err := loadText("ibv_reg_mr.yaml", lintPage(`    accepted_by:
      - {provider: siw, source: {project: a, release: b, file: c}}
      - {provider: rxe, kernel: "6.1", but: the flag is ignored, source: {project: a, release: b, file: c}}
      - {provider: efa, when: [{of: access, has: [IBV_ACCESS_MW_BIND]}], source: {project: a, release: b, file: c}}
    refused_by:
      - {provider: rxe, kernel: ">=6.12", source: {project: a, release: b, file: c}}
      - {kernel: ">=7.0", source: {project: a, release: b, file: c}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := s.RuleByID(id)
	for _, tt := range []struct {
		provider, kernel string
		holds            bool // conditions of parties
		want             Answer
	}{
		{"siw", "", true, AnswerAccepted},
		{"siw", "7.2", true, AnswerAccepted},
		{"rxe", "", true, AnswerUnknown},
		{"rxe", "6.1", true, AnswerAltered},
		{"rxe", "6.6", true, AnswerUnknown},
		{"rxe", "6.12", true, AnswerRefused},
		{"efa", "", true, AnswerAccepted},
		{"efa", "", false, AnswerUnknown},
		{"mlx5", "6.12", true, AnswerUnknown},
		{"mlx5", "7.2", true, AnswerRefused},
		{"", "7.2", true, AnswerRefused},
		{"", "", true, AnswerUnknown},
	} {
		k, _ := ParseKernel(tt.kernel)
		got := r.AnswerOf(Platform{Provider: tt.provider, Kernel: k}, func(when []Atom) bool { return len(when) == 0 || tt.holds })
		if got != tt.want {
			t.Errorf("%s %s: %d, want %d", tt.provider, tt.kernel, got, tt.want)
		}
	}
	if got := r.RefusedBy[0].String() + ", " + r.AcceptedBy[0].String() + ", " + r.RefusedBy[1].String(); got != "rxe with linux "+
		">=6.12, siw, linux >=7.0" {
		t.Errorf("parties are written as %s", got)
	}
}

// A party of some releases of rdma-core is not known to be meant without the release.
func TestAnswerOfRelease(t *testing.T) {
	s, err := loadText("ibv_reg_mr.yaml", lintPage(`    accepted_by:
      - {provider: rxe, release: "<34.0", but: the flag is ignored, source: {project: a, release: b, file: c}}
    refused_by:
      - {provider: rxe, release: ">=34.0", source: {project: a, release: b, file: c}}
      - {release: "28.0..33.2", kernel: "6.1", source: {project: a, release: b, file: c}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := s.RuleByID(id)
	for release, want := range map[string]Answer{"33.2": AnswerAltered, "34.0": AnswerRefused, "": AnswerUnknown} {
		k, _ := ParseKernel(release)
		if got := r.AnswerOf(Platform{Provider: "rxe", Release: k}, func([]Atom) bool { return true }); got != want {
			t.Errorf("rdma-core %s: %d, want %d", release, got, want)
		}
	}
	if got := r.AcceptedBy[0].String() + ", " + r.RefusedBy[1].String(); got != "rxe of rdma-core <34.0, rdma-core 28.0..33.2 with linux 6.1" {
		t.Errorf("parties are written as %s", got)
	}
	if below := (Platform{Release: Kernel{27, 0}}).Below(); !below {
		t.Error("27.0 is not below the floor")
	}
}

// lintPage is goodPage with its rule as a lint of these parties.
func lintPage(parties string) string {
	return strings.Replace(goodPage, "    needs: args\n", "    needs: args\n    severity: lint\n"+parties, 1)
}

func TestWrongParties(t *testing.T) {
	for _, tt := range []struct{ name, parties, want string }{
		{"provider", "    accepted_by: [{provider: rxee, source: {project: a, release: b, file: c}}]\n",
			"32:30: " + id + ": provider: rxee is not known here; did you mean rxe?"},
		{"kernel", "    refused_by: [{provider: rxe, kernel: \">6.1\", source: {project: a, release: b, file: c}}]\n",
			"32:42: " + id + ": kernel: >6.1 is no range of kernels; write \">=6.12\", \"<6.12\", \"6.1..7.2\" or \"6.1\""},
		{"kernel as a number", "    refused_by: [{provider: rxe, kernel: 6.1, source: {project: a, release: b, file: c}}]\n",
			"32:42: " + id + ": kernel: a floating-point number where a text belongs; put it in quotes: \"6.1\""},
		{"no source", "    accepted_by: [{provider: siw}]\n",
			"32:19: " + id + ": key source is missing; add it"},
		{"nobody", "    accepted_by: [{source: {project: a, release: b, file: c}}]\n",
			"32:19: " + id + ": accepted_by: an entry names neither a provider nor a kernel; add provider or kernel"},
		{"release", "    refused_by: [{provider: rxe, release: v34.0, source: {project: a, release: b, file: c}}]\n",
			"32:43: " + id + ": release: v34.0 is no range of releases of rdma-core; write \">=34.0\", \"<34.0\", \"28.0..33.2\" or \"28.0\""},
		{"but of a refusal", "    refused_by: [{provider: siw, but: not so, source: {project: a, release: b, file: c}}]\n",
			"32:34: " + id + ": unknown key but; the keys here are crash, kernel, provider, release, source, when, whole_verb"},
		{"both",
			"    accepted_by: [{provider: rxe, kernel: \"<7.0\", " +
				"source: {project: a, release: b, file: c}}]\n    refused_by: [{provider: rxe, kernel: \"6.12\", " +
				"source: {project: a, release: b, file: c}}]\n",
			"33:18: " + id + ": refused_by: rxe with linux 6.12 accepts the call by another entry; correct the kernels or releases of one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadText("ibv_reg_mr.yaml", lintPage(tt.parties))
			if err == nil || err.Error() != "ibv_reg_mr.yaml:"+tt.want {
				t.Errorf("error\n%v\nwant\nibv_reg_mr.yaml:%s", err, tt.want)
			}
		})
	}
}

// The flags and paths of a party's conditions are held against the facts, as those of the rule are.
func TestNamesOfParties(t *testing.T) {
	s, err := loadText("ibv_reg_mr.yaml",
		lintPage("    accepted_by: [{provider: siw, when: [{of: access, has: [IBV_ACCESS_REMOTE_REED]}], "+
			"source: {project: a, release: b, file: c}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckNames(known(t)...); err == nil {
		t.Error("a flag that no release has is taken")
	}
}
