//go:build linux && cgo

package closing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/fakeprov"
)

const (
	envProgram   = "VERBS_CLOSING_PROGRAM"
	envProviders = "VERBS_CLOSING_PROVIDERS"
)

func TestMain(m *testing.M) {
	name := os.Getenv(envProgram)
	if name == "" {
		os.Exit(m.Run())
	}
	for _, p := range programs() {
		if p.String() != name {
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

// TestPrograms runs each program: it does not die by a signal, every Close succeeds, and every goroutine ends with an error
// that is os.ErrClosed.
func TestPrograms(t *testing.T) {
	folder := t.TempDir()
	for _, k := range providers {
		if _, err := fakeprov.Build(folder, k, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs() {
		t.Run(strings.ReplaceAll(p.String(), " ", "_"), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a program that hangs has failed
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), envProgram+"="+p.String(), envProviders+"="+folder)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", p, err, out)
			}
		})
	}
}

// program closes something while callers make calls.
type program struct {
	call  call
	close end
}

func (p program) String() string { return p.call.name + " against close of " + p.close.name }

const (
	callers = 2
	// span is how long a program closes one world after the other; it takes at least some.
	span       = 150 * time.Millisecond
	worldsMost = 200
)

func (p program) run(providers string) error {
	lib, err := load(providers, p.call.over)
	if err != nil {
		return err
	}
	begin := time.Now()
	for i := 0; i < worldsMost && (i < 5 || time.Since(begin) < span); i++ {
		w, err := newWorld(lib, p.call.over)
		if err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		if err := p.in(w, i); err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		if err := w.end(); err != nil {
			return fmt.Errorf("world %d: the rest: %w", i, err)
		}
	}
	return nil
}

// in lets callers begin, closes under them, and collects how they end.
func (p program) in(w *world, turn int) error {
	var wg sync.WaitGroup
	var begun atomic.Int32
	errs := make([]error, callers)
	for i := range callers {
		do, err := p.call.make(w)
		if err != nil {
			return err
		}
		wg.Go(func() {
			begun.Add(1)
			for errs[i] == nil {
				if err := do(); errors.Is(err, os.ErrClosed) {
					errs[i] = err
				} else if err != nil && !p.call.goesOn(err) {
					errs[i] = fmt.Errorf("%s ends with another error than os.ErrClosed: %w", p.call.name, err)
					return
				}
			}
		})
	}
	for begun.Load() < callers {
		time.Sleep(10 * time.Microsecond)
	}
	time.Sleep(time.Duration(turn%10) * 20 * time.Microsecond)
	closed := p.close.run(w)
	if closed != nil {
		closed = fmt.Errorf("close of %s: %w", p.close.name, closed)
		w.end() // so that the callers end
	}
	wg.Wait()
	for i, err := range errs {
		if errors.Is(err, os.ErrClosed) {
			errs[i] = nil
		}
	}
	return errors.Join(append(errs, closed)...)
}
