//go:build linux

package suite

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// Run runs one case and says how it went. A case that panics, or does not end in its time, has failed; the cases after it
// run as if nothing had happened.
func (g *Target) Run(c Case) (res report.Case) {
	mode := g.modeOf(&c)
	res = c.blank(mode)
	begin := time.Now()
	defer func() { res.Duration = report.Seconds(time.Since(begin)) }()
	if why, lacks := g.lacks(c.Needs); why != "" {
		res.Status, res.Reason, res.Lacks = report.Skip, why, lacks
		return res
	}
	if d := g.defects.of(g.provider, g.host.Kernel, c.ID).harmful(); d != nil {
		res.Status, res.Reason, res.Evidence = report.Known, "not run: "+d.Observed, d.Evidence
		return res
	}
	limit := cmp.Or(c.Limit, DefaultLimit)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	t := &T{target: g, mode: mode, ctx: ctx}
	done := make(chan struct{})
	go t.body(&c, done)
	select {
	case <-done:
	case <-ctx.Done():
		t.Errorf("it has not ended within %v", limit)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	res.Observed = t.observed.all()
	g.judge(t, &res)
	return res
}

// Unended is what a report says of a case while it runs: should the process end in it, by a signal in C, that is its result.
func (g *Target) Unended(c Case) report.Case {
	res := c.blank(g.modeOf(&c))
	res.Status, res.Reason = report.Fail, "the process ended while this case ran"
	return res
}

// lacks gives the reason to skip a case, and the capabilities of the device that are not there.
func (g *Target) lacks(needs []Capability) (why string, lacks []string) {
	var reasons []string
	for _, n := range needs {
		if r := g.lacking[n]; r != "" {
			reasons = append(reasons, fmt.Sprintf("needs %s: %s", n, r))
			if !ofOthers[n] {
				lacks = append(lacks, string(n))
			}
		}
	}
	return strings.Join(reasons, "; "), lacks
}

// body is the goroutine of a case.
func (t *T) body(c *Case, done chan<- struct{}) {
	defer close(done)
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v, at %s", r, panicPlace(debug.Stack()))
		}
	}()
	defer t.clean()
	if err := t.target.begin(t); err != nil {
		t.Fatalf("%v", err)
	}
	c.Run(t)
}

// panicPlace returns the function and line in which a panic started, from the stack of the goroutine that recovered.
func panicPlace(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	at := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "panic(") })
	for i := at + 2; at >= 0 && i+1 < len(lines); i += 2 {
		if name := lines[i]; !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "panic(") {
			where := strings.TrimSpace(lines[i+1])
			where, _, _ = strings.Cut(where, " +0x")
			if cut := strings.LastIndexByte(where, '/'); cut >= 0 {
				where = where[cut+1:]
			}
			return where
		}
	}
	return "a place that the stack does not show"
}

// judge turns what a case said into its result.
func (g *Target) judge(t *T, res *report.Case) {
	known := g.defects.of(g.provider, g.host.Kernel, res.ID)
	switch {
	case len(t.failures) > 0:
		res.Status, res.Reason = report.Fail, strings.Join(t.failures, "; ")
		if d := known.explain(t.failures); d != nil {
			res.Status, res.Evidence = report.Known, d.Evidence
		}
	case t.skipped != "":
		res.Status, res.Reason, res.Lacks = report.Skip, t.skipped, t.lacks
	default:
		res.Status = report.Pass
		if len(known) > 0 {
			res.Reason = "listed as a known defect, but it passes"
		}
	}
}

// Report puts the results of a run together.
func (g *Target) Report(results []report.Case) *report.Report {
	r := &report.Report{Schema: report.Schema, Version: report.Version, Started: g.started.UTC().Truncate(time.Second),
		Duration: report.Seconds(time.Since(g.started)), Mode: g.mode, Host: g.host, Library: g.library, Device: g.device,
		PeerDevice: g.peerName, Peer: g.peer, Cases: slices.Clone(results)}
	r.Host.OS, r.Host.Arch = runtime.GOOS, runtime.GOARCH
	for _, c := range Capabilities() {
		why := g.lacking[c]
		has := report.Capability{Name: string(c), Has: why == "", Reason: why}
		if c == DM && g.overlay != nil {
			has.Reason = "an overlay of host memory; the device has none"
		}
		r.Capabilities = append(r.Capabilities, has)
	}
	return r
}
