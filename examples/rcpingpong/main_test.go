package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/examples/rcpingpong/pingpong"
)

func TestParse(t *testing.T) {
	s, err := parse(io.Discard, strings.Fields("-device rxe1 -port 99 -ib-port 2 -size 8 -iters 7 -gid 3 -events -check -timeout 5s there"))
	want := settings{"rxe1", 99, "there", pingpong.Options{IBPort: 2, GIDIndex: 3, Size: 8, Iters: 7, Events: true, Check: true,
		Timeout: 5 * time.Second}}
	if err != nil || *s != want {
		t.Errorf("%+v, %v; want %+v", s, err, want)
	}
	s, err = parse(io.Discard, nil)
	want = settings{"", 18515, "", pingpong.Options{IBPort: 1, GIDIndex: -1, Size: 4096, Iters: 1000}}
	if err != nil || *s != want {
		t.Errorf("without arguments %+v, %v; want %+v", s, err, want)
	}
	for _, args := range []string{"a b", "-port 65536", "-ib-port 0", "-ib-port 257", "-size x", "-nothing"} {
		if _, err := parse(io.Discard, strings.Fields(args)); !errors.Is(err, errUsage) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := parse(io.Discard, []string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}

func TestShow(t *testing.T) {
	var out strings.Builder
	show(&out, &pingpong.Result{Self: pingpong.Address{QPN: 0x11}, Bytes: 8000, Duration: 2 * time.Millisecond}, 10)
	const want = `self  LID 0x0000, QPN 0x000011, PSN 0x000000, GID ::
peer  LID 0x0000, QPN 0x000000, PSN 0x000000, GID ::
moved 8000 bytes in 0.002 s: 4000000 bytes/s
took  200.00 us/iter over 10 iterations
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
}
