// Command mutants judges the tests: it changes the code in small ways, one at a time, and names the changes that no test notices.
//
//	go run ./conformance/abuse/mutants [-areas REGEXP] [-most N] [-seed N]
//
// It works in a worktree of the last commit, which it removes in the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	only := flag.String("areas", ".", "areas whose name matches this `regexp`")
	most := flag.Int("most", 1<<30, "run at most so many mutants of an area")
	seed := flag.Uint64("seed", 1, "which mutants are chosen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = run(ctx, pattern, *most, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only *regexp.Regexp, most int, seed uint64) error {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := tree(filepath.Join(dir, "tree"))
	if out, err := exec.CommandContext(ctx, "git", "worktree", "add", "--quiet", "--detach", string(t)).CombinedOutput(); err != nil {
		return fmt.Errorf("git worktree add: %w\n%s", err, out)
	}
	defer exec.Command("git", "worktree", "remove", "--force", string(t)).Run() // ctx may have ended
	for _, a := range areas() {
		if !only.MatchString(a.name) {
			continue
		}
		counts, err := t.area(ctx, a, min(a.most, most), seed)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Printf("%s: %d killed, %d survived, %d do not compile\n", a.name, counts[killed], counts[survived], counts[invalid])
	}
	return nil
}

// area runs the tests of an area without a mutant, where they must pass, and then on mutants, of which at most so many compile.
func (t tree) area(ctx context.Context, a area, most int, seed uint64) (counts map[string]int, err error) {
	files, err := a.sources(string(t))
	if err != nil {
		return nil, err
	}
	var found []mutant
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(string(t), file))
		if err != nil {
			return nil, err
		}
		found = append(found, scan(file, string(text))...)
	}
	for _, c := range a.tests {
		if said, err := t.command(ctx, c); err != nil {
			return nil, fmt.Errorf("without a mutant: go %s: %w\n%s", c, err, said)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(found), func(i, k int) { found[i], found[k] = found[k], found[i] })
	counts = map[string]int{}
	for _, m := range found {
		if counts[killed]+counts[survived] >= most {
			break
		}
		status, by, err := t.judge(ctx, a.tests, m)
		if err != nil {
			return nil, err
		}
		counts[status]++
		fmt.Println(status, m, by)
	}
	return counts, nil
}

// What became of a mutant. One that does not compile is no mutant.
const (
	killed   = "killed"
	survived = "survived"
	invalid  = "invalid"
)

// tree is the folder of the worktree.
type tree string

// judge makes a mutant, runs tests until one fails, and takes the mutant back.
func (t tree) judge(ctx context.Context, tests []string, m mutant) (status, by string, err error) {
	file := filepath.Join(string(t), m.file)
	if err := os.WriteFile(file, []byte(m.changed), 0o666); err != nil {
		return "", "", err
	}
	defer func() {
		_, reset := t.output(exec.Command("git", "checkout", "--quiet", ".")) // ctx may have ended
		_, clean := t.output(exec.Command("git", "clean", "--quiet", "-d", "--force"))
		err = errors.Join(err, ctx.Err(), reset, clean)
	}()
	if path.Ext(m.file) != ".yaml" {
		if _, err := t.command(ctx, "build ./"+path.Dir(m.file)); err != nil {
			return invalid, "", nil
		}
	}
	for _, c := range tests {
		if _, err := t.command(ctx, c); err != nil {
			return killed, "by go " + c, nil
		}
		if c != remake {
			continue
		}
		if _, err := t.command(ctx, "build ./gen/verbs"); err != nil {
			return invalid, "", nil
		}
	}
	return survived, "", nil
}

// patience is how long a command may take: one that does not end has noticed the mutant.
const patience = 20 * time.Minute

// command runs go in the tree.
func (t tree) command(ctx context.Context, args string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", strings.Fields(args)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return t.output(cmd)
}

func (t tree) output(cmd *exec.Cmd) (string, error) {
	cmd.Dir = string(t)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
