package vet

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// TestAnalyzers runs the analyzers as another program does.
func TestAnalyzers(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages with all that they import")
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "./testdata/wrong")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the package does not load: ", err)
	}
	graph, err := checker.Analyze(Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, root := range graph.Roots {
		for _, d := range root.Diagnostics {
			got = append(got, d.Message)
		}
	}
	if len(got) != 1 || !strings.Contains(got[0], "VR-ibv_reg_mr-access-0001") {
		t.Errorf("reported %q", got)
	}
}
