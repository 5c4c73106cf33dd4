package main

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
)

// area is a part of the tree, and the commands that are to notice a change of it: in this order, until one fails.
type area struct {
	name  string
	most  int      // how many mutants that compile are run
	files []string // patterns; of Go code without tests and generated files
	tests []string // arguments of go
}

const (
	internal = "./cmd/verbsgen/internal/"
	fail     = "runtime/gensupport/fail/"
	test     = "test -vet=off -failfast -short -timeout 8m "
	bindings = test + "./gen/verbs"
	recorder = test + "./conformance/recording"
	suites   = test + "./conformance -run ^TestSuite$"
	// calls leaves out the suite, and the tests of conformance that build programs or take long for other reasons.
	calls = test + "./conformance -skip ^Test(Suite|Parity|Slurm)$"
	// leaks runs the suite under the address sanitizer, and owned the tests of the software device, as .ci/asan does.
	leaks = test + "-asan ./conformance -run ^TestSuite$"
	owned = test + "-asan ./runtime/softverbs"
	// counts notices what is only slower.
	counts = test + "./conformance/bench/hotguard"
	// same compares what is generated from the pages with what is checked in.
	same = "run ./cmd/verbsgen check"
	// other generates packages from the pages and headers of tests.
	other = test + "-timeout 9m ./cmd/verbsgen -run TestScripts/script/(_bad|_odd|readers|modules)"
	// remake generates the bindings from the mutant, so that those after it are tested: same would notice every change of a page.
	remake = "run ./cmd/verbsgen generate -o gen/verbs"
)

// areas is the table of what is mutated and what is run for it.
func areas() []area {
	generator := func(name string, most int, tests ...string) area {
		return area{name: name, most: most, files: []string{"cmd/verbsgen/internal/" + name + "/*.go"}, tests: tests}
	}
	of := func(name string, most int, tests ...string) area {
		return area{name: "runtime/" + name, most: most, files: []string{"runtime/" + name + "/*.go"},
			tests: append([]string{test + "./runtime/" + name}, tests...)}
	}
	return []area{
		generator("gogen", 30, same, test+internal+"gogen/...", other),
		generator("cgen", 10, same, test+internal+"cgen", other),
		generator("bind", 20, same, other, test+internal+"bind "+internal+"generate"),
		generator("explain", 20, test+internal+"explain "+internal+"maintain/coverage",
			test+"./cmd/verbsgen -run TestScripts/script/(explain|verdicts|questions)"),
		{name: "spec", most: 16, files: []string{"spec/*.go"}, tests: []string{test + "./spec", other, same}},
		{name: "pages", most: 24, files: []string{"spec/*/*.yaml", "spec/*/shared/*.yaml"},
			tests: []string{test + "./spec", remake, bindings, test + internal + "explain", suites}},
		{name: "templates", most: 6, files: []string{"templates/*.tmpl"}, tests: []string{remake, bindings, recorder, calls, suites, counts}},
		{name: "validators", most: 8, tests: []string{test + "./runtime/gensupport/fail", bindings},
			files: []string{fail + "caps.go", fail + "fact.go", fail + "flags.go", fail + "mark.go", fail + "transition.go", fail + "value.go"}},
		of("gensupport/object", 10, bindings, calls),
		of("gensupport/gate", 6, test+"./runtime/gensupport/dpath", calls),
		of("gensupport/bridge", 4, calls, recorder),
		of("mem", 8, calls),
		of("gensupport/devmem", 6, calls, test+"-race ./runtime/gensupport/devmem -run ^TestRacesAreSeen$"),
		of("gensupport/dpath", 22, calls, recorder),
		of("verr", 6, test+"./runtime/gensupport/fail", bindings, calls),
		{name: "direct", most: 12, files: []string{"gen/mlx5dv/direct/*.go"},
			tests: []string{test + "./gen/mlx5dv/direct",
				test + "./conformance/device/oncard -run ^Test(SameBytes|Direct(Ops|States|SRQ|Close|DCI|Bind))$"}},
		{name: "softverbs", most: 36, files: []string{"runtime/softverbs/*.c", "runtime/softverbs/*.h", "runtime/softverbs/shared/src/*.c"},
			tests: []string{test + "./runtime/softverbs", suites, test + "./runtime/gensupport/dpath ./gen/verbs",
				test + "./conformance/device/oncard -run ^TestLikeMLX5$", calls, leaks, owned}},
		{name: "suite", most: 12, files: []string{"conformance/suite/*.go"}, tests: []string{test + "./conformance/suite", suites, calls}},
		{name: "suite/cases", most: 14, files: []string{"conformance/suite/cases/*.go"},
			tests: []string{suites, test + "./conformance/suite/cases", calls}},
		{name: "suite/report", most: 6, files: []string{"cmd/verbsgen/report/*.go"},
			tests: []string{test + "./cmd/verbsgen/report", test + "./cmd/verbsgen -run Test(MatrixDocument|Scripts)/script/reports?$", calls}},
	}
}

// sources lists the files of the area, by their paths in the tree.
func (a area) sources(root string) ([]string, error) {
	var out []string
	for _, pattern := range a.files {
		all, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if built, err := built(f); err != nil {
				return nil, err
			} else if !built || strings.HasSuffix(f, "_test.go") || strings.Contains(filepath.Base(f), ".gen.") {
				continue
			}
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return nil, err
			}
			out = append(out, filepath.ToSlash(rel))
		}
	}
	slices.Sort(out)
	return out, nil
}

// built reports whether the tests have a file in them: one of another system, or of the race detector, is not.
func built(file string) (bool, error) {
	if !strings.HasSuffix(file, ".go") {
		return true, nil
	}
	return build.Default.MatchFile(filepath.Split(file))
}
