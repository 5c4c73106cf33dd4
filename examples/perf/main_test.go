//go:build linux && cgo

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/verbstest"
)

// library is that of a software device.
func library(t *testing.T) *verbs.Lib {
	t.Helper()
	lib, err := verbs.LoadFrom(verbstest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// both runs a test with two sides on a software device, and returns what the client prints.
func both(t *testing.T, args string) (results []result, printed string, err error) {
	t.Helper()
	lib := library(t)
	server, client := settingsOf(t, args), settingsOf(t, args+" there")
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		results, err := measure(t.Context(), lib, far, server)
		if len(results) != 0 {
			err = errors.Join(err, errors.New("the server has results"))
		}
		ended <- errors.Join(err, far.Close())
	}()
	results, err = measure(t.Context(), lib, near, client)
	err = errors.Join(err, near.Close(), <-ended)
	var out strings.Builder
	return results, output(t, &out, client, results), err
}

func output(t *testing.T, out *strings.Builder, s *settings, results []result) string {
	t.Helper()
	if err := print(out, s, results); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func settingsOf(t *testing.T, args string) *settings {
	t.Helper()
	s, err := parse(io.Discard, strings.Fields(args))
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	s.device = "soft0"
	return s
}

// TestAll runs every test, in host memory and in device memory.
func TestAll(t *testing.T) {
	for _, test := range tests {
		for _, more := range []string{"", " -use_ibdm", " -a -s 16"} {
			if test == "atomic_lat" && strings.Contains(more, "-s") {
				more = " -A CMP_AND_SWAP"
			}
			t.Run(test+more, func(t *testing.T) {
				const iters = 60
				results, printed, err := both(t, test+" -n 60 -t 16 -r 20 -Q 7 -l 3 -timeout 30s"+more)
				if err != nil {
					t.Fatal(err)
				}
				want := 1
				if strings.Contains(more, "-a") {
					want = 4
				}
				if len(results) != want || strings.Count(printed, "\n") != want+1 {
					t.Fatalf("%d results, want %d\n%s", len(results), want, printed)
				}
				for _, r := range results {
					if lat := strings.HasSuffix(test, "_lat"); r.Iterations != iters || lat && (r.Min <= 0 || r.Min > r.Typical ||
						r.Typical > r.P99 || r.P99 > r.P999 || r.P999 > r.Max) || !lat && (r.Average <= 0 || r.Peak < r.Average || r.Rate <= 0) {
						t.Errorf("%+v", r)
					}
				}
			})
		}
	}
}

// TestFormats looks at the columns, the histogram and the JSON.
func TestFormats(t *testing.T) {
	s := settingsOf(t, "write_lat -H there")
	marks := []time.Duration{0, 2000, 4000, 6000, 8000, 108000}
	r := (&times{marks: marks, per: 2}).result(8)
	const want = ` #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 8       5              1.00           50.00          1.00             10.80          19.60           50.00                  50.00
        1.00 us        4 ########################################
       44.41 us        1 ##########
`
	var out strings.Builder
	if got := output(t, &out, s, []result{*r}); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
	out.Reset()
	s = settingsOf(t, "write_bw -json there")
	var back struct {
		Test    string
		Results []result
	}
	text := output(t, &out, s, []result{{Bytes: 8, Iterations: 3, Peak: 2, Average: 1, Rate: .5}})
	if err := json.Unmarshal([]byte(text), &back); err != nil || back.Test != "write_bw" || len(back.Results) != 1 ||
		back.Results[0].Peak != 2 || strings.Contains(text, "t_min") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestDisagree has sides with different numbers, and a peer that goes away.
func TestDisagree(t *testing.T) {
	lib := library(t)
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := measure(t.Context(), lib, far, settingsOf(t, "read_lat -n 5"))
		far.Close()
		ended <- err
	}()
	_, err := measure(t.Context(), lib, near, settingsOf(t, "read_lat -n 6 there"))
	near.Close()
	for _, err := range []error{err, <-ended} {
		if err == nil || !strings.Contains(err.Error(), "the peer runs read_lat -s 2 -n ") {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	silent, _ := net.Pipe()
	if _, err = measure(ctx, lib, silent, settingsOf(t, "read_lat there")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent peer: %v", err)
	}
}

func TestParse(t *testing.T) {
	s := settingsOf(t, "write_lat -i 2 -p 7 -s 8 -n 9 -t 10 -r 11 -l 3 -Q 4 -I 12 host")
	want := settings{test: "write_lat", device: "soft0", host: "host", ibPort: 2, port: 7, size: 8, iters: 9, inline: 12, txDepth: 10,
		rxDepth: 11, list: 3, cqMod: 4, timeout: time.Minute}
	if *s != want {
		t.Errorf("%+v, want %+v", *s, want)
	}
	if s := settingsOf(t, "write_bw -a"); s.size != mostSize || s.iters != 5000 || s.cqMod != 100 || s.inline != 0 || len(s.sizes()) != 23 {
		t.Errorf("%+v", *s)
	}
	for _, args := range []string{"", "lat", "write_lat a b", "atomic_lat -s 4", "atomic_lat -A ADD", "write_lat -s 9000000",
		"write_bw -l 200", "write_bw -t 0", "write_lat -use_ibdm -I 4", "read_lat -p 65536", "read_lat -i 0", "write_lat -nothing"} {
		if _, err := parse(io.Discard, strings.Fields(args)); !errors.Is(err, start.ErrUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parse(io.Discard, []string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}
