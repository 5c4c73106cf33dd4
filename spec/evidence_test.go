package spec

import (
	"regexp"
	"slices"
	"testing"
)

// TestEvidence wants of each rule of every module that it names who refuses a breach, or which function the program crashes in;
// of a hint, who accepts the call on a platform that the rules hold for, and what happens instead where the note says that something is
// ignored; and of each source the function that decides.
func TestEvidence(t *testing.T) {
	for _, name := range Modules() {
		s := must(Embedded(name))(t)
		for _, r := range s.Rules() {
			for _, problem := range lacks(r) {
				t.Errorf("%s: %s: %s", r.Pos.File, r.ID, problem)
			}
		}
	}
}

// ignored is how a note says that a call is accepted without what it asks for.
var ignored = regexp.MustCompile(`\b([Ii]gnor|overwrit|never read)`)

// lacks lists what the evidence of a rule does not say.
func lacks(r *Rule) (out []string) {
	switch {
	case r.Severity == SeverityError && len(r.RefusedBy) == 0:
		out = append(out, "the rule does not say who refuses a breach; add refused_by, or read_by for a pointer")
	case r.Severity == SeverityLint && !slices.ContainsFunc(r.AcceptedBy, func(p Party) bool { return !p.Below() }):
		out = append(out, "nobody from the floor on accepts what the hint is about; add accepted_by, or make it an error")
	}
	for _, p := range r.AcceptedBy {
		if p.But == "" && ignored.MatchString(r.Note) {
			out = append(out, "the note says that something is ignored, and "+p.String()+" has no but:; say there what happens instead")
		}
	}
	sources := slices.Clone(r.Source)
	for _, p := range slices.Concat(r.AcceptedBy, r.RefusedBy) {
		sources = append(sources, p.Source...)
	}
	for i := range sources {
		if s := &sources[i]; s.Run == "" && s.Func == "" && !s.IsManPage() {
			out = append(out, s.String()+": the source names no function")
		}
	}
	return out
}

func TestLacks(t *testing.T) {
	read := Sources{{Project: "linux", File: "a.c", Func: "f"}}
	nameless := Sources{{Project: "linux", File: "a.c"}}
	exempt := Sources{{Project: "rdma-core", File: "libibverbs/man/ibv_x.3"}, {Run: RunRXE}}
	old := Party{Source: read, Kernels: Kernels{End: FloorKernel}}
	tests := []struct {
		name string
		rule Rule
		want int
	}{
		{"an error with a party", Rule{Severity: SeverityError, RefusedBy: []Party{{Source: read}}}, 0},
		{"an error without one", Rule{Severity: SeverityError}, 1},
		{"a hint with a party", Rule{Severity: SeverityLint, AcceptedBy: []Party{{Source: exempt}}}, 0},
		{"a hint that is only refused", Rule{Severity: SeverityLint, RefusedBy: []Party{{Source: read}}}, 1},
		{"a hint that is accepted below the floor", Rule{Severity: SeverityLint, AcceptedBy: []Party{old}}, 1},
		{"a hint that is accepted and ignored", Rule{Severity: SeverityLint, Note: "it is ignored", AcceptedBy: []Party{{Source: read}}}, 1},
		{"and says so", Rule{Severity: SeverityLint, Note: "it is ignored", AcceptedBy: []Party{{But: "no", Source: read}}}, 0},
		{"a source without a function", Rule{Severity: SeverityError, Source: nameless, RefusedBy: []Party{{Source: nameless}}}, 2},
	}
	for _, tt := range tests {
		if got := lacks(&tt.rule); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.name, got, tt.want)
		}
	}
}
