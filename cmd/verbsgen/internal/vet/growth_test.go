package vet

import (
	"fmt"
	"strings"
	"testing"
)

// TestGrowth makes a function four times as long: the work, told by what is allocated, grows by about as much, and not by its square.
func TestGrowth(t *testing.T) {
	verbs := own(t, "verbs")
	work := func(calls int) float64 {
		var b strings.Builder
		b.WriteString("package x\n\nimport v \"github.com/verbsgen/verbsgen/gen/verbs\"\n\nfunc f(pd *v.PD, buf []byte) error {\n")
		for i := range calls {
			fmt.Fprintf(&b, "mr%d, err := pd.RegMR(buf, v.MRAccessLocalWrite)\nif err != nil {\nreturn err\n}\ndefer mr%d.Close()\n", i, i)
		}
		b.WriteString("return nil\n}\n")
		p, err := compile(b.String())
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(1, func() {
			if found := p.report(t, verbs); len(found) > 0 {
				t.Fatal(found[0].Message)
			}
		})
	}
	if short, long := work(100), work(400); long > 6*short {
		t.Errorf("%.0f allocations for 100 calls, and %.0f for 400", short, long)
	}
}
