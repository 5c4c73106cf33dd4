package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// front is the part of README.md that the first page shows: the first commands, the first program, and what it prints.
type front struct {
	Install, Program template.HTML
	Output           string
}

func loadFront(root string) (front, error) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return front{}, err
	}
	fence := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(data)
		if m == nil {
			err = fmt.Errorf("README.md has no fence of %s: it begins with the commands, a program and what it prints", language)
			return ""
		}
		return string(m[1])
	}
	f := front{Install: highlight("sh", fence("sh")), Program: highlight("go", fence("go")), Output: fence("text")}
	return f, err
}

// bar is a row of the bar chart: the time of a call with that in C as 1.
type bar struct {
	Name, Calls string
	Value       float64
	Width       float64 // in percent of the chart, whose end is 2.5
}

// chartEnd is the greatest ratio that a bar shows in full.
const chartEnd = 2.5

// plot is the numbers of a plot, as docs/plots draws them.
type plot struct {
	File   string
	Labels []string
	Series []struct {
		Name   string
		Values []float64
	}
}

// loadChart reads the bars of the chart from the numbers of a plot: one request in a call, and as many as were measured.
func loadChart(root string) ([]bar, error) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "plots", "measured.json"))
	if err != nil {
		return nil, err
	}
	var plots []plot
	if err := json.Unmarshal(data, &plots); err != nil {
		return nil, fmt.Errorf("docs/plots/measured.json: %w", err)
	}
	i := slices.IndexFunc(plots, func(p plot) bool { return p.File == "direct.svg" })
	if i < 0 {
		return nil, errors.New("docs/plots/measured.json has no plot direct.svg")
	}
	var out []bar
	for _, s := range plots[i].Series {
		for _, at := range []int{0, len(s.Values) - 1} {
			out = append(out, bar{s.Name, plots[i].Labels[at], s.Values[at], min(100, 100*s.Values[at]/chartEnd)})
		}
	}
	return out, nil
}
