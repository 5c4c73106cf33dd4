package explain

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// TestLimits breaks every rule whose error in generated code has a limit: the message of explain has the same.
func TestLimits(t *testing.T) {
	text, err := os.ReadFile("../../../../gen/verbs/check.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(string(text), "verr.Rule{ID: \"")
	limit := regexp.MustCompile(`\bLimit: *"([^"]+)"`)
	sp, k := newest(t)
	n := 0
	for _, row := range rows[1:] {
		id, _, _ := strings.Cut(row, "\"")
		r, m := sp.RuleByID(id), limit.FindStringSubmatch(strings.ReplaceAll(row, "\n", " "))
		if m == nil || r == nil || r.Kind != spec.KindCapBound && r.Kind != spec.KindRange {
			continue
		}
		n++
		got := k.Evaluate(Case{Verb: r.Verb, Args: r.Reject.Args, Caps: r.Reject.Caps})
		want := regexp.MustCompile(`(\(` + regexp.QuoteMeta(m[1]) + ` is |` + regexp.QuoteMeta(m[1]) + `, )[0-9]+`)
		if !want.MatchString(strings.Join(got.Messages, "\n")) {
			t.Errorf("%s: no limit %s: %q", id, m[1], got.Messages)
		}
	}
	if n < 30 {
		t.Errorf("only %d rules have a limit", n)
	}
}
