//go:build linux && cgo

package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
)

// given is a report of a peer that answered, one that did not, and one that was never met.
func given() *report {
	return &report{
		Pingmesh: 1, Agent: "10.0.0.1:18516", Device: "mlx5_0", GID: "::ffff:10.0.0.1", Clock: "device", Size: 64,
		From: time.Unix(1700000000, 0).UTC(), To: time.Unix(1700000060, 500_000_000).UTC(), Foreign: 2,
		Peers: []peerReport{
			{Peer: "10.0.0.2:18516", Clock: "software", counts: counts{Sent: 10, Answered: 9, Lost: 1, Late: 1, Duplicate: 2},
				RTT: &percentiles{1500, 2000, 2500, 9900}, Prober: &percentiles{700, 800, 900, 1000}, Responder: &percentiles{10, 20, 30, 49}},
			{Peer: "10.0.0.3:18516", counts: counts{Sent: 10, Lost: 10}},
			{Peer: "10.0.0.4:18516", counts: counts{Unsent: 10}, Error: "connection refused"},
		},
	}
}

func TestJSON(t *testing.T) {
	const want = `{"pingmesh":1,"agent":"10.0.0.1:18516","device":"mlx5_0","gid":"::ffff:10.0.0.1","clock":"device","size":64,` +
		`"from":"2023-11-14T22:13:20Z","to":"2023-11-14T22:14:20.5Z","foreign":2,"peers":[` +
		`{"peer":"10.0.0.2:18516","clock":"software","sent":10,"answered":9,"lost":1,"late":1,"duplicate":2,"unsent":0,` +
		`"rtt_ns":{"p50":1500,"p90":2000,"p99":2500,"max":9900},"prober_delay_ns":{"p50":700,"p90":800,"p99":900,"max":1000},` +
		`"responder_delay_ns":{"p50":10,"p90":20,"p99":30,"max":49}},` +
		`{"peer":"10.0.0.3:18516","sent":10,"answered":0,"lost":10,"late":0,"duplicate":0,"unsent":0,` +
		`"rtt_ns":null,"prober_delay_ns":null,"responder_delay_ns":null},` +
		`{"peer":"10.0.0.4:18516","sent":0,"answered":0,"lost":0,"late":0,"duplicate":0,"unsent":10,` +
		`"rtt_ns":null,"prober_delay_ns":null,"responder_delay_ns":null,"error":"connection refused"}]}` + "\n"
	var out strings.Builder
	if err := given().write(&out, true); err != nil || out.String() != want {
		t.Errorf("%v; printed\n%swant\n%s", err, &out, want)
	}
}

func TestTable(t *testing.T) {
	const want = `agent 10.0.0.1:18516 on mlx5_0, GID ::ffff:10.0.0.1, device clock: 9 of 20 probes of 64 bytes answered in 60.5 s, 2 foreign datagrams; times in µs
            peer     clock  sent  lost  late  twice  unsent  rtt p50  p90  p99  max  prober p50  p90  p99  max  responder p50  p90  p99  max
  10.0.0.2:18516  software    10     1     1      2       0      1.5  2.0  2.5  9.9         0.7  0.8  0.9  1.0            0.0  0.0  0.0  0.0
  10.0.0.3:18516         -    10    10     0      0       0        -    -    -    -           -    -    -    -              -    -    -    -
  10.0.0.4:18516         -     0     0     0      0      10        -    -    -    -           -    -    -    -              -    -    -    -
10.0.0.4:18516: connection refused
`
	var out strings.Builder
	if err := given().write(&out, false); err != nil || out.String() != want {
		t.Errorf("%v; printed\n%swant\n%s", err, &out, want)
	}
}

func TestParse(t *testing.T) {
	list := filepath.Join(t.TempDir(), "hosts")
	check(t, os.WriteFile(list, []byte("# the fleet\na\nb:7 # the second\n\nfe80::1\n[::1]:9\n"), 0o600))
	o, err := parse(io.Discard, []string{"-peers", "@" + list})
	check(t, err)
	if want := []string{"a:18516", "b:7", "[fe80::1]:18516", "[::1]:9"}; !slices.Equal(o.peers, want) || o.listen != ":18516" || o.count != 0 {
		t.Errorf("%+v, want peers %v", o, want)
	}
	if o, err := parse(io.Discard, nil); err != nil || o.listen != "" || o.count != 20 || o.gid != -1 {
		t.Errorf("without arguments %+v, %v", o, err)
	}
	for _, args := range []string{
		"x", "-ib-port 0", "-ib-port 256", "-traffic-class 256", "-gid-index 256", "-gid-index -2", "-interval 0", "-timeout 0s", "-duration -1s",
		"-every -1s", "-metrics :0", "-count -1", "-size 31", "-keep 0", "-agents 0", "-nothing", "-peers @" + list + ".not",
	} {
		if _, err := parse(io.Discard, strings.Fields(args)); !errors.Is(err, start.ErrUsage) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := parse(io.Discard, []string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}
