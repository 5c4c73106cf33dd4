// Command bench runs the benchmarks of the repository and prints what they measured beside the targets of targets.txt.
//
// It owns the list of targets, the order of runs and the form of the table. What is measured, and how, is the benchmarks' own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const usage = `bench runs benchmarks and prints their results beside the targets. Run it in the repository.

  bench [-json FILE] [-rounds N] [-all] [-only REGEXP] [-against COMMIT]

The numbers are medians of rounds. Most are ratios to the same work in C in the same process: a busy machine changes
them less than times. -against builds COMMIT in a worktree of its own and runs both in turns; the column ratio is this
tree divided by COMMIT.

`

type options struct {
	json, against string
	rounds        int
	all           bool
	only          *regexp.Regexp
}

func main() {
	var o options
	var only string
	flag.StringVar(&o.json, "json", "", "write all results to `FILE`")
	flag.StringVar(&o.against, "against", "", "measure `COMMIT` too, in turns")
	flag.IntVar(&o.rounds, "rounds", 1, "run each benchmark `N` times")
	flag.BoolVar(&o.all, "all", false, "print results without a target too")
	flag.StringVar(&only, "only", "", "run only packages whose path matches `REGEXP`")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(only); err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	targets, err := parseTargets(targetsFile)
	if err != nil {
		return err
	}
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "verbsgen-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	trees := []tree{{root: root, bin: filepath.Join(dir, "now")}}
	if o.against != "" {
		before := filepath.Join(dir, "tree")
		if _, err := output(ctx, root, "git", "worktree", "add", "--detach", before, o.against); err != nil {
			return err
		}
		defer exec.Command("git", "-C", root, "worktree", "remove", "--force", before).Run() // ctx may have ended
		trees = append(trees, tree{root: before, bin: filepath.Join(dir, "before")})
	}
	rep := report{Rounds: o.rounds}
	for i := range trees {
		t := &trees[i]
		if t.commit, err = output(ctx, t.root, "git", "describe", "--always", "--dirty"); err != nil {
			return err
		}
	}
	rep.Commit = trees[0].commit
	if rep.Go, err = output(ctx, root, "go", "env", "GOVERSION"); err != nil {
		return err
	}
	if len(trees) > 1 {
		rep.Against = trees[1].commit
	}
	for _, pkg := range packages(targets) {
		if !o.only.MatchString(pkg) {
			continue
		}
		if err := measure(ctx, &rep, trees, pkg, o.rounds); err != nil {
			return err
		}
	}
	rep.judge(targets)
	rep.print(os.Stdout, o.all)
	if o.json != "" {
		return rep.write(o.json)
	}
	return nil
}

// tree is a work tree whose benchmarks are run.
type tree struct{ root, bin, commit string }

// measure builds the benchmarks of a package in all trees and runs them in turns. The first tree must have the package.
func measure(ctx context.Context, rep *report, trees []tree, pkg string, rounds int) error {
	fmt.Fprintln(os.Stderr, "bench:", pkg)
	built := make([]bool, len(trees))
	for i, t := range trees {
		if _, err := os.Stat(filepath.Join(t.root, pkg)); err != nil && i > 0 {
			continue
		}
		if _, err := output(ctx, t.root, "go", "test", "-c", "-o", t.bin, "./"+pkg); err != nil {
			return err
		}
		built[i] = true
	}
	results := make([]results, len(trees))
	for range rounds {
		for i, t := range trees {
			if !built[i] {
				continue
			}
			text, err := output(ctx, filepath.Join(t.root, pkg), t.bin, "-test.run=^$", "-test.bench=.", "-test.benchtime=1x")
			if err != nil {
				return err
			}
			if rep.CPU == "" {
				rep.CPU = cpuOf(text)
			}
			results[i].add(text)
		}
	}
	for _, key := range results[0].order {
		r := row{Package: pkg, Benchmark: key.name, Unit: key.unit, Value: median(results[0].values[key])}
		if len(trees) > 1 {
			if before := results[1].values[key]; len(before) > 0 {
				v := median(before)
				r.Before = &v
			}
		}
		rep.Rows = append(rep.Rows, r)
	}
	return nil
}

// output runs a command and returns what it wrote to its standard output.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, problems.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
