package main

import (
	"strconv"
	"strings"
)

// key is one number that a benchmark reports.
type key struct{ name, unit string }

// results are the numbers of all rounds, in the order of the first.
type results struct {
	order  []key
	values map[key][]float64
}

// add takes the lines of benchmarks out of what a test binary printed: the name with the number of processors, the number of runs, then
// pairs of a number and its unit.
func (r *results) add(text string) {
	if r.values == nil {
		r.values = map[key][]float64{}
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(f[1]); err != nil {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i]
			}
		}
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				break
			}
			k := key{name, f[i+1]}
			if len(r.values[k]) == 0 {
				r.order = append(r.order, k)
			}
			r.values[k] = append(r.values[k], v)
		}
	}
}

// cpuOf returns the processor that a test binary names.
func cpuOf(text string) string {
	for line := range strings.Lines(text) {
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			return strings.TrimSpace(cpu)
		}
	}
	return ""
}
