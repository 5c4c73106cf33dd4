// Command mutants judges the tests: it changes the code in many small ways, one at a time, and counts the changes that some test
// notices. It works in a copy of the tree. Mutants of Go code are found by gremlins; those of C code and of the pages of the spec by a
// small scanner in this package; and some are listed by name, because they once survived.
//
//	go run ./conformance/abuse/mutants [-areas REGEXP] [-dir FOLDER] [-o FILE]
//
// Results are kept in -dir, so that a run can be continued: a mutant that was killed is not run again while its file is the same.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := flags.String("dir", filepath.Join(cache, "verbsgen-mutants"), "`folder` of the copy and of the results")
	only := flags.String("areas", ".", "areas whose name matches this `regexp`")
	seed := flags.Uint64("seed", 1, "which mutants are chosen")
	most := flags.Int("most", 1<<30, "run at most so many mutants of an area")
	out := flags.String("o", "", "write the table and the survivors to this `file`, as Markdown")
	keep := flags.Bool("keep", false, "do not run survivors again")
	report := flags.Bool("report", false, "run nothing; report the results that are kept")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	var chosen []area
	for _, a := range areas() {
		if pattern.MatchString(a.name) {
			a.most = min(a.most, *most)
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return errors.New("no area matches -areas")
	}
	results, err := openResults(filepath.Join(*dir, "results.jsonl"))
	if err != nil {
		return err
	}
	defer results.close()
	if !*report {
		if err := runAreas(chosen, *dir, *seed, *keep, results); err != nil {
			return err
		}
	}
	sum, err := summarize(chosen, results.all(), reasonsText)
	if err != nil {
		return err
	}
	fmt.Print(sum.table())
	if *out != "" {
		return os.WriteFile(*out, []byte(sum.page(*seed)), 0o644)
	}
	return nil
}

// runAreas runs the mutants of each area that have no result yet, or survived.
func runAreas(chosen []area, dir string, seed uint64, keep bool, results *results) error {
	source, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/verbsgen/verbsgen")
	if err != nil {
		return err
	}
	tree, err := newTree(strings.TrimSpace(source), filepath.Join(dir, "tree"))
	if err != nil {
		return err
	}
	r := &runner{tree: tree, base: map[string]duration{}}
	for _, a := range chosen {
		found, err := a.mutants(tree)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		results.keepOnly(a.name, found)
		valid := 0
		for _, m := range choose(found, seed) {
			if valid >= a.most && !m.named() {
				continue
			}
			res, kept := results.of(m)
			if !kept || res.Status == survived && !keep {
				if res, err = r.run(a, m); err != nil {
					return fmt.Errorf("%s: %w", m, err)
				}
				if err := results.add(res); err != nil {
					return err
				}
				fmt.Printf("%-10s %s %s (%.0f s)\n", res.Status, m, res.By, res.Seconds)
			}
			if res.Status != invalid {
				valid++
			}
		}
	}
	return nil
}
