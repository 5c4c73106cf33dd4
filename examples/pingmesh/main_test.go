//go:build linux && cgo

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestRun has agents probe each other on software devices with and without times and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		name, device, clock string
		opts                []softverbs.Option
	}{
		{"with times", "", "device", nil},
		{"without", "", "software", []softverbs.Option{softverbs.StandardFields()}},
		{"strict", "", "", []softverbs.Option{softverbs.LikeMLX5()}},
		{"named device, else software", os.Getenv("VERBS_DEVICE"), "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			args := strings.Fields("-agents 3 -count 5 -interval 5ms -timeout 20s -json -device=" + test.device)
			check(t, run(t.Context(), &out, io.Discard, args, test.opts...))
			reports := decode(t, out.String())
			if len(reports) != 3 {
				t.Fatalf("%d reports of 3 agents", len(reports))
			}
			for _, r := range reports {
				if r.Clock != cmp.Or(test.clock, r.Clock) || r.Foreign != 0 || len(r.Peers) != 2 {
					t.Errorf("%+v", r)
				}
				for _, p := range r.Peers {
					if p.counts != (counts{Sent: 5, Answered: 5}) || p.Clock != r.Clock || p.Error != "" {
						t.Errorf("%+v", p)
					}
					if p.RTT == nil || p.Responder == nil || (p.Prober == nil) != (r.Clock == "software") {
						t.Errorf("percentiles of %+v", p)
					}
				}
			}
		})
	}
}

// TestEach has each of 40 agents probe the three behind it.
func TestEach(t *testing.T) {
	var out strings.Builder
	check(t, run(t.Context(), &out, io.Discard, strings.Fields("-agents 40 -each 3 -count 1 -timeout 20s -json")))
	reports := decode(t, out.String())
	for i, r := range reports {
		for j, p := range r.Peers {
			if behind := reports[(i+j+1)%len(reports)].Agent; p.Peer != behind || p.counts != (counts{Sent: 1, Answered: 1}) || len(r.Peers) != 3 {
				t.Errorf("peer %d of agent %d is not %s, or was not probed: %+v", j, i, behind, p)
			}
		}
	}
	if len(reports) != 40 {
		t.Errorf("%d reports", len(reports))
	}
}

// decode reads lines of JSON with the fields of reports alone.
func decode(t *testing.T, text string) (all []report) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	for d.More() {
		var r report
		check(t, d.Decode(&r))
		all = append(all, r)
	}
	return all
}

// found passes on the part of a text that matches.
type found struct {
	pattern *regexp.Regexp
	to      chan string
}

func (f found) Write(b []byte) (int, error) {
	if m := f.pattern.Find(b); m != nil {
		f.to <- string(m)
	}
	return len(b), nil
}

// TestInterrupt probes without a limit, until the metrics have a time. Then it has the last report printed: each is of what came since
// the one before.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at, ended := found{regexp.MustCompile(`http://\S+`), make(chan string, 1)}, make(chan error, 1)
	var out strings.Builder
	go func() {
		ended <- run(ctx, &out, at, strings.Fields("-agents 2 -duration 1h -interval 1ms -every 5ms -json -spin -metrics 127.0.0.1:0"))
	}()
	measured := regexp.MustCompile(`(?m)^pingmesh_rtt_seconds\{agent="127\.0\.0\.1:\d+",peer="127\.0\.0\.1:\d+",quantile="0\.5"\} \d`)
	url := <-at.to
	for text := ""; !measured.MatchString(text); time.Sleep(time.Millisecond) {
		answer, err := http.Get(url)
		check(t, err)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		answer.Body.Close()
		text = string(body)
	}
	cancel()
	check(t, <-ended)
	reports := decode(t, out.String())
	for i, r := range reports {
		if i >= 2 && (r.Agent != reports[i-2].Agent || !r.From.Equal(reports[i-2].To)) {
			t.Errorf("report %d of %s begins at %v, and the one before ends at %v", i, r.Agent, r.From, reports[i-2].To)
		}
	}
	if n := len(reports); n < 4 || n%2 != 0 {
		t.Errorf("%d reports", n)
	}
}

// TestOneAgent runs one agent with a peer that is not there, and one that only answers.
func TestOneAgent(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	gone.Close()
	for _, test := range []struct {
		args string
		want []peerReport
	}{
		{"-json -listen 127.0.0.1:0 -duration 20ms", []peerReport{}},
		{"-json -listen 127.0.0.1:0 -interval 5ms -count 4 -peers " + gone.Addr().String(),
			[]peerReport{{Peer: gone.Addr().String(), counts: counts{Unsent: 4}}}},
	} {
		var out strings.Builder
		check(t, run(t.Context(), &out, io.Discard, strings.Fields(test.args)))
		reports := decode(t, out.String())
		for i := range reports[0].Peers {
			if p := &reports[0].Peers[i]; p.Error != "" {
				p.Error = ""
			} else {
				t.Errorf("%s: it does not say why %+v", test.args, p)
			}
		}
		if len(reports) != 1 || !slices.Equal(reports[0].Peers, test.want) {
			t.Errorf("%s: %+v, want peers %+v", test.args, reports, test.want)
		}
	}
}

// TestRefused runs with what the device does not have.
func TestRefused(t *testing.T) {
	for _, args := range []string{"-size 5000", "-gid-index 200", "-ib-port 2", "-device nothing0"} {
		if err := run(t.Context(), io.Discard, io.Discard, strings.Fields(args)); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}
