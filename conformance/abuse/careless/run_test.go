//go:build linux && cgo

package careless

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

const (
	envProgram   = "VERBS_CARELESS_PROGRAM"
	envProviders = "VERBS_CARELESS_PROVIDERS"
)

// program is a careless program.
type program struct {
	name string
	// run makes the mistake, and prints what the library says of it. An error is one that the mistake does not explain.
	run  func(folder string) error
	says []string // expressions of which each matches what was printed
}

// programs are all of them.
func programs() (all []program) {
	for _, p := range closings() {
		all = append(all, program{name: p.String(), run: p.run, says: p.says()})
	}
	for _, area := range []struct {
		name string
		all  []mistake
	}{
		{"memory", memoryMistakes()},
		{"owner", ownerMistakes()},
		{"steering", steeringMistakes()},
		{"allocator", allocatorMistakes()},
		{"inline", inlineMistakes()},
	} {
		for _, m := range area.all {
			all = append(all, program{name: area.name + ": " + m.name, run: m.run, says: m.says})
		}
	}
	return all
}

func TestMain(m *testing.M) {
	name := os.Getenv(envProgram)
	if name == "" {
		os.Exit(m.Run())
	}
	for _, p := range programs() {
		if p.name != name {
			continue
		}
		if err := p.run(os.Getenv(envProviders)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	fmt.Println("no program of that name")
	os.Exit(2)
}

// TestPrograms runs each program: it does not die by a signal, and prints what was wrong.
func TestPrograms(t *testing.T) {
	folder := t.TempDir()
	for _, k := range providers {
		if _, err := fakeprov.Build(folder, k, false); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	for _, p := range programs() {
		if names[p.name] {
			t.Errorf("two programs are called %q", p.name)
		}
		names[p.name] = true
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			out, err := p.process(t.Context(), folder)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, s := range p.says {
				if !regexp.MustCompile(s).MatchString(out) {
					t.Errorf("nothing matches %q in what it said:\n%s", s, out)
				}
			}
		})
	}
}

// process runs the program in a process of its own, and returns what it printed.
func (p program) process(ctx context.Context, folder string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a program that hangs has failed
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), envProgram+"="+p.name, envProviders+"="+folder,
		"GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0") // the race detector would wait for a second at the end of each
	out, err := cmd.CombinedOutput()
	return string(out), err
}
