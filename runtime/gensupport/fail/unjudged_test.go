package fail

import (
	"io"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestUnjudged names the rules that need capabilities only while these are not known.
func TestUnjudged(t *testing.T) {
	table := []*verr.Rule{cqeBound}
	if got, err := Unjudged(table, nil); got != nil || err != nil {
		t.Errorf("with capabilities: %v, %v", got, err)
	}
	if got, err := Unjudged(table, io.EOF); len(got) != 1 || got[0].ID != cqeBound.ID || err != io.EOF {
		t.Errorf("without capabilities: %v, %v", got, err)
	}
	want := "v: the provider or the library is too old to tell all capabilities; the plain attributes alone are known"
	if got := NoCaps("v").Error(); got != want {
		t.Errorf("got %s", got)
	}
}
