//go:build linux && cgo

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// maxDifferences is how many cases may still differ between the software device and soft-RoCE.
const maxDifferences = 5

// parity is conformance/suite/parity.json.
type parity struct {
	Recorded    string `json:"recorded"` // report of the kernel device, from the root
	Differences []struct {
		Cases     []string `json:"cases"`
		What      string   `json:"what"` // "verdict", or what was asked
		Kernel    string   `json:"kernel"`
		Softverbs string   `json:"softverbs"`
		Why       string   `json:"why"` // why software cannot give the kernel's answer
	} `json:"differences"`
	Default []struct { // cases in which the default device answers otherwise because it can do more
		Cases []string `json:"cases"`
		Why   string   `json:"why"`
	} `json:"default"`
}

// expected returns the differences that are listed.
func (p *parity) expected(t *testing.T) []report.Difference {
	t.Helper()
	var out []report.Difference
	for i, d := range p.Differences {
		if len(d.Cases) == 0 || d.Why == "" {
			t.Errorf("difference %d: no cases, or no reason", i)
		}
		for _, id := range d.Cases {
			out = append(out, report.Difference{Case: id, What: d.What, A: d.Kernel, B: d.Softverbs})
		}
	}
	if len(out) > maxDifferences {
		t.Errorf("%d cases are listed to differ; at most %d may be left", len(out), maxDifferences)
	}
	return out
}

// TestParity runs the suite on a software device like soft-RoCE of Linux 6.1, and holds verdicts and answers against those that were
// recorded on that kernel. The differences are exactly those listed. It fails after a case has changed what it asks, too: then soft-RoCE is
// asked anew. TestSuite holds the default device against the same.
func TestParity(t *testing.T) {
	p, kernel := recorded(t)
	t.Logf("held against %s; where a case asks something else than it did then, run make matrix", p.Recorded)
	opts := []softverbs.Option{softverbs.LikeRXE61(), softverbs.Release(kernel.Library.RDMACore)}
	target := must(suite.Open(suite.Config{Device: suite.Software, Soft: opts, Port: 1, GIDIndex: far.AnyGID}))(t)
	var results []report.Case
	for _, c := range cases.All() {
		results = append(results, target.Run(c))
	}
	for _, line := range unlike(report.Compare(kernel, target.Report(results), false), p.expected(t)) {
		t.Error(line)
	}
}

// recorded reads the list of differences, and the report of the kernel device.
func recorded(t *testing.T) (p parity, kernel *report.Report) {
	t.Helper()
	read := func(path string) []byte { return must(os.ReadFile(filepath.FromSlash(path)))(t) }
	d := json.NewDecoder(bytes.NewReader(read("suite/parity.json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("suite/parity.json: %v", err)
	}
	kernel = must(report.Decode(read("../" + p.Recorded)))(t)
	if kernel.Device.Provider != "rdma_rxe" || !strings.HasPrefix(kernel.Host.Kernel, "6.1.") || kernel.Mode != report.ModeDevice {
		t.Fatalf("%s is of %s (%s) on kernel %s", p.Recorded, kernel.Device.Provider, kernel.Mode, kernel.Host.Kernel)
	}
	return p, kernel
}

// defaultParity holds the report of all cases on the default software device against the kernel's, but for what it can do more.
func defaultParity(t *testing.T, soft *report.Report) {
	p, kernel := recorded(t)
	found := report.Compare(kernel, soft, true)
	for _, d := range p.Default {
		for _, id := range d.Cases {
			i := slices.IndexFunc(found, func(f report.Difference) bool { return f.Case == id })
			if i < 0 {
				t.Errorf("%s is listed in suite/parity.json, but the default device answers as the kernel does: strike it out", id)
			}
			found = slices.DeleteFunc(found, func(f report.Difference) bool { return f.Case == id })
		}
	}
	for _, line := range unlike(found, p.expected(t)) {
		t.Error(line)
	}
}

// unlike tells of differences that are not listed, and of listed ones that are none.
func unlike(found, listed []report.Difference) []string {
	var out []string
	for _, d := range found {
		if !slices.Contains(listed, d) {
			out = append(out, fmt.Sprintf("%s: %s: the kernel answered %s, softverbs %s", d.Case, d.What, d.A, d.B))
		}
	}
	for _, d := range listed {
		if !slices.Contains(found, d) {
			out = append(out, fmt.Sprintf("%s: %s is listed in suite/parity.json, but it is no difference any more: strike it out", d.Case, d.What))
		}
	}
	return out
}
