//go:build linux && cgo

package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// served is what Prometheus reads.
func served(m *metrics) string {
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, nil)
	return answer.Body.String()
}

// TestMetrics adds two reports: counters grow, and a time that the second one lacks is gone.
func TestMetrics(t *testing.T) {
	const peer, rtt = `agent="10.0.0.1:18516",peer="10.0.0.2:18516"`, `,quantile="0.99"} 2.5e-06`
	m := &metrics{}
	m.add(given())
	if text := served(m); !strings.Contains(text, "pingmesh_rtt_seconds{"+peer+rtt) {
		t.Errorf("no round-trip time in\n%s", text)
	}
	second := given()
	second.Peers[0].RTT = nil
	m.add(second)
	text := served(m)
	for _, line := range []string{
		"probes_total{" + peer + `,result="lost"} 2`, "probes_total{" + peer + `,result="twice"} 4`,
		`foreign_datagrams_total{agent="10.0.0.1:18516"} 4`, "responder_delay_seconds{" + peer + `,quantile="1"} 4.9e-08`,
		"peer_error{" + peer + "} 0", `peer_error{agent="10.0.0.1:18516",peer="10.0.0.4:18516"} 1`,
		`report_time_seconds{agent="10.0.0.1:18516"} 1.7000000605e+09`,
	} {
		if !strings.Contains(text, "pingmesh_"+line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
	if strings.Contains(text, rtt) {
		t.Errorf("a time that was not measured:\n%s", text)
	}
}

// TestDashboard compares the metrics that the dashboard asks for with those that are served.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	check(t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	check(t, json.Unmarshal(text, &board))
	m := &metrics{}
	m.add(given())
	names, out, asked := regexp.MustCompile(`pingmesh_\w+`), served(m), map[string]bool{}
	for _, p := range board.Panels {
		if len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("%+v", p)
		}
		for _, target := range p.Targets {
			for _, name := range names.FindAllString(target.Expr, -1) {
				asked[name] = true
				if !strings.Contains(out, "# TYPE "+name+" ") {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	for _, name := range names.FindAllString(out, -1) {
		if !asked[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}
