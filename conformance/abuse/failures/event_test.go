//go:build linux && cgo

package failures

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// failing is a calloc that has no memory for one object of so many bytes, if the environment says so.
const failing = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
void *calloc(size_t n, size_t size)
{
	void *(*next)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	const char *none = getenv("VERBSGEN_NO_MEMORY");

	if (none && *none && n == 1 && size == (size_t)atoi(none)) {
		errno = ENOMEM;
		return NULL;
	}
	return next(n, size);
}
`

// TestEventWithoutMemory has no memory for an event of a port: the program hears that it lost one, and gets the next.
func TestEventWithoutMemory(t *testing.T) {
	const again, none = "VERBSGEN_EVENT", "VERBSGEN_NO_MEMORY"
	if os.Getenv(again) == "" {
		library := filepath.Join(t.TempDir(), "failing.so")
		gcc := exec.Command("gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-")
		stdin, err := gcc.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = stdin.Write([]byte(failing))
			_ = stdin.Close()
		}()
		if out, err := gcc.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
		// The address sanitizer, if there is one, has the calloc that this one calls.
		cmd.Env = append(os.Environ(), again+"=1", "LD_PRELOAD="+library, "ASAN_OPTIONS=verify_asan_link_order=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	soft, dev := verbstest.Open(t)
	const event = "32" // struct svb_event
	for _, x := range []struct{ none string }{{event}, {""}} {
		t.Setenv(none, x.none)
		if err := soft.SetPort("soft0", 1, x.none == ""); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if ev, err := dev.NextEvent(ctx); err != nil || ev.Type != verbs.EventTypePortActive {
		t.Errorf("the event for which there was memory: %v, %v", ev, err)
	} else {
		ev.Done()
	}
	if _, err := dev.NextEvent(ctx); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("after the event that was lost: %v", err)
	}
}
