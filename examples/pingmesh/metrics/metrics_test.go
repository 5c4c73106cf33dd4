package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	first = `{"pingmesh":1,"agent":"a:1","to":"2023-11-14T22:13:20.5Z","foreign":2,"peers":[` +
		`{"peer":"b:1","sent":10,"answered":9,"lost":1,"late":0,"twice":0,"unsent":0,"rtt_ns":{"p50":1500,"p90":2000,"p99":2500,"max":9900},` +
		`"prober_delay_ns":null,"responder_delay_ns":{"p50":10,"p90":20,"p99":30,"max":49}}]}` + "\n"
	second = `{"pingmesh":1,"agent":"a:1","to":"2023-11-14T22:13:30.5Z","foreign":1,"peers":[` +
		`{"peer":"b:1","sent":5,"answered":0,"lost":5,"late":0,"twice":0,"unsent":0,"rtt_ns":null,"prober_delay_ns":null,` +
		`"responder_delay_ns":null,"error":"connection refused"}]}` + "\n"
)

// TestPrinted adds two reports: counters grow, and a time that the second one lacks is gone.
func TestPrinted(t *testing.T) {
	printed := func(text string) string {
		var out strings.Builder
		if err := run(t.Context(), strings.NewReader(text), &out, io.Discard, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for text, want := range map[string][]string{
		first: {
			`pingmesh_probes_total{agent="a:1",peer="b:1",result="lost"} 1`,
			`pingmesh_rtt_seconds{agent="a:1",peer="b:1",quantile="0.99"} 2.5e-06`,
			`pingmesh_responder_delay_seconds{agent="a:1",peer="b:1",quantile="1"} 4.9e-08`,
			`pingmesh_peer_error{agent="a:1",peer="b:1"} 0`,
			`pingmesh_report_time_seconds{agent="a:1"} 1.7000000005e+09`,
		},
		strings.ReplaceAll(first, "b:1", "c:1") + first + second: {
			`pingmesh_probes_total{agent="a:1",peer="b:1",result="sent"} 15`,
			`pingmesh_foreign_datagrams_total{agent="a:1"} 5`,
			`pingmesh_peer_error{agent="a:1",peer="b:1"} 1`,
		},
	} {
		got := printed(text)
		for _, line := range want {
			if !strings.Contains(got, line+"\n") {
				t.Errorf("no %s in\n%s", line, got)
			}
		}
		if strings.Contains(got, "c:1") {
			t.Errorf("a peer that is not probed any more:\n%s", got)
		}
		if strings.Contains(got, "prober_delay") || strings.Contains(got, "rtt_seconds") != (text == first) {
			t.Errorf("a time that was not measured:\n%s", got)
		}
	}
}

// TestWrong reads what is not a report, and runs commands that fail.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"agent 10.0.0.1:18516 on mlx5_0\n": "report 1: invalid character",
		first + `{"pingmesh":2}` + "\n":    "report 2: version 2, not 1",
		strings.TrimSuffix(first, "}]}\n"): "report 1: unexpected EOF",
	} {
		if err := run(t.Context(), strings.NewReader(text), io.Discard, io.Discard, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	err := run(t.Context(), strings.NewReader(""), io.Discard, io.Discard, []string{"sh", "-c", "exit 3"})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("%v, want exit status 3", err)
	}
	if err := run(t.Context(), strings.NewReader(""), io.Discard, io.Discard, []string{"/nowhere"}); err == nil {
		t.Error("/nowhere ran")
	}
}

// address catches the line that names the address.
type address struct{ at chan string }

func (a address) Write(b []byte) (int, error) {
	if m := regexp.MustCompile(`http://\S+`).Find(b); m != nil {
		a.at <- string(m)
	}
	return len(b), nil
}

// seen catches the reports that are passed on.
type seen chan bool

func (s seen) Write(b []byte) (int, error) {
	select {
	case s <- true:
	default:
	}
	return len(b), nil
}

// TestServed serves the reports of pingmesh itself, on a software device, until it is interrupted.
func TestServed(t *testing.T) {
	program := t.TempDir() + "/pingmesh"
	if out, err := exec.Command("go", "build", "-o", program, "github.com/verbsgen/verbsgen/examples/pingmesh").CombinedOutput(); err != nil {
		if os.Getenv("GOWORK") == "off" {
			t.Skip("pingmesh is built in the workspace of the repository")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at, reported, ended := address{make(chan string, 1)}, make(seen, 1), make(chan error, 1)
	go func() {
		ended <- run(ctx, strings.NewReader(""), reported, at,
			append([]string{"-listen", "127.0.0.1:0", program}, strings.Fields("-agents 2 -duration 1h -interval 1ms -every 20ms -json")...))
	}()
	url := <-at.at
	for done := false; !done; {
		<-reported
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		done = regexp.MustCompile(`(?m)^pingmesh_rtt_seconds\{agent="127\.0\.0\.1:\d+",peer="127\.0\.0\.1:\d+",quantile="0\.5"\} \d`).Match(text)
	}
	cancel()
	for end := false; !end; {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			end = true
		case <-reported:
		}
	}
}

// TestDashboard compares the metrics that the dashboard asks for with those that are served.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	served := strings.Replace(first, `"prober_delay_ns":null`, `"prober_delay_ns":{"p50":1}`, 1)
	if err := run(t.Context(), strings.NewReader(served), &out, io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	names, asked := regexp.MustCompile(`pingmesh_\w+`), map[string]bool{}
	for _, p := range board.Panels {
		if len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("%+v", p)
		}
		for _, target := range p.Targets {
			for _, name := range names.FindAllString(target.Expr, -1) {
				asked[name] = true
				if !strings.Contains(out.String(), "# TYPE "+name+" ") {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	for _, name := range names.FindAllString(out.String(), -1) {
		if !asked[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}
