package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

type duration = time.Duration

// What became of a mutant. One that does not compile is no mutant, and not counted.
const (
	killed   = "killed"
	survived = "survived"
	invalid  = "invalid"
)

// result is what became of one mutant, and which command noticed it.
type result struct {
	ID, Area, File, Name string
	Line                 int
	Old, New, Text       string
	Sum                  uint64
	Status, By           string
	Seconds              float64
}

type runner struct {
	tree *tree
	base map[string]duration // of each command on the tree as it is
}

const generated = "gen/verbs/"

// run makes a mutant, runs the tests of its area until one fails, and takes it back.
func (r *runner) run(a area, m mutant) (res result, err error) {
	text, err := r.tree.read(m.file)
	if err != nil {
		return res, err
	}
	changed, err := m.of(text)
	if err != nil {
		return res, err
	}
	if err := r.tree.write(m.file, changed); err != nil {
		return res, err
	}
	back := func() error {
		if slices.Contains(a.tests, remake) {
			return errors.Join(r.tree.write(m.file, text), r.tree.restore(generated))
		}
		return r.tree.write(m.file, text)
	}
	defer func() { err = errors.Join(err, back()) }()
	begin := time.Now()
	status, by, err := r.judge(a, m, func(c string) error {
		if _, done := r.base[c]; done {
			return nil
		}
		if err := errors.Join(back(), r.measure(c), r.tree.write(m.file, changed)); err != nil {
			return err
		}
		if i := slices.Index(a.tests, remake); i >= 0 && i < slices.Index(a.tests, c) {
			r.command(remake, time.Hour)
		}
		return nil
	})
	if err != nil {
		return res, err
	}
	return result{ID: m.id(), Area: a.name, File: m.file, Name: m.name, Line: m.line, Old: m.old, New: m.new, Text: m.text, Sum: m.sum,
		Status: status, By: by, Seconds: time.Since(begin).Seconds()}, nil
}

// judge runs the tests of an area on a mutant. Before the first use of a command, sound runs it without the mutant.
func (r *runner) judge(a area, m mutant, sound func(string) error) (status, by string, err error) {
	if by := r.compile("./" + path.Dir(m.file)); by != "" {
		return invalid, by, nil
	}
	for _, c := range a.tests {
		if err := sound(c); err != nil {
			return "", "", err
		}
		switch ok, said := r.command(c, time.Minute+4*r.base[c]); {
		case !ok && strings.Contains(said, noEnd):
			return killed, "go " + c + " (no end)", nil
		case !ok:
			return killed, "go " + c, nil
		case c == remake:
			if by := r.compile("./" + generated); by != "" {
				return invalid, by, nil
			}
		}
	}
	return survived, "", nil
}

// compile returns the command that fails to compile a package, if it does.
func (r *runner) compile(pkg string) (by string) {
	if ok, _ := r.command("build "+pkg, time.Hour); !ok {
		return "go build " + pkg
	}
	return ""
}

// measure runs a command on the tree as it is, where it must work.
func (r *runner) measure(c string) error {
	begin := time.Now()
	ok, said := r.command(c, time.Hour)
	if !ok {
		return fmt.Errorf("without a mutant: go %s fails:\n%s", c, said)
	}
	r.base[c] = time.Since(begin)
	return nil
}

// noEnd is what go test writes of a test that has not ended in time, and command of any other.
const noEnd = "test timed out after"

// command runs go in the copy.
func (r *runner) command(args string, limit duration) (ok bool, said string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", strings.Fields(args)...)
	cmd.Dir = r.tree.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return false, noEnd + " " + limit.String()
	}
	return err == nil, string(out)
}
