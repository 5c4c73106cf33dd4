//go:build linux && cgo

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// built names the folder of the card that this process runs on.
const built = "VERBSGEN_CARDREPORT"

// TestMain runs the tests on an emulated card: the process starts again, with the card below it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(built); dir != "" {
		code := m.Run()
		os.RemoveAll(dir)
		os.Exit(code)
	}
	dir, err := os.MkdirTemp("", "card")
	if err == nil {
		var c *card.Card
		if c, err = card.Build(dir, card.Options{}); err == nil {
			err = syscall.Exec("/proc/self/exe", os.Args, append(c.Environ(os.Environ()), built+"="+dir))
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestAsks shows that nothing runs and nothing is written before Enter, and what is said until then.
func TestAsks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.json")
	var out bytes.Buffer
	err := run([]string{"-o", file, "mlx5_0"}, strings.NewReader(""), &out)
	if err == nil || !strings.Contains(err.Error(), "nothing was run") {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a report")
	}
	for _, want := range []string{"port 1 of mlx5_0", "opens mlx5_0 anew", "pins less than 1024 MiB", "writes " + file,
		"never does", "Press Enter"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for args, want := range map[string]string{"": "the devices are: mlx5_0, mlx5_1", "-port 0 mlx5_0": "port 0", "-x": "-x",
		"mlx5_7": "no device"} {
		if err := run(append([]string{"-yes"}, strings.Fields(args)...), nil, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// TestReport runs a few cases on the card and on the software device. Each report can be read, and names neither machine nor device.
func TestReport(t *testing.T) {
	for _, name := range []string{"mlx5_0", suite.Software} {
		target, err := suite.Open(suite.Config{Device: name, Port: 1, GIDIndex: far.AnyGID})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "out.json")
		if _, err := runCases(target, cases.All()[:12], file, t.Output()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := report.Decode(data)
		if err != nil || len(r.Cases) != 12 || r.Count()[report.Fail] > 0 || r.Host.Name != "" || strings.Contains(r.Library.Name, "/") {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
		if at := pattern(identifiers()).FindIndex(data); at != nil {
			t.Errorf("%s: the report has %s", name, data[at[0]:at[1]])
		}
	}
}

// TestAnonymous removes what names the machine from each text of a report that is made on it.
func TestAnonymous(t *testing.T) {
	guid, err := os.ReadFile(sysfs.Path("class/infiniband/mlx5_0/node_guid"))
	if err != nil {
		t.Fatal(err)
	}
	gid, err := os.ReadFile(sysfs.Path("class/infiniband/mlx5_0/ports/1/gids/0"))
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(guid))
	secrets := []string{id, strings.ReplaceAll(id, ":", ""), strings.TrimSpace(string(gid)), "host7",
		"host7.example.org", "10.1.2.3", "/home/carol", "carol"}
	private := pattern(append(identifiers(), append(secrets[3:], "root", "pass", "x", "00:00")...))
	says := strings.Join(secrets, " or ")
	r := &report.Report{Schema: report.Schema, Version: report.Version, Mode: report.ModeDevice,
		Host:    report.Host{Name: "host7", OS: "linux", Arch: "amd64", Kernel: "6.1"},
		Library: report.Library{Name: "/home/carol/libibverbs.so.1"}, Device: report.Device{Name: "roce" + secrets[1], Provider: "mlx5_core"},
		Capabilities: []report.Capability{{Name: "dm", Reason: says}},
		Cases: []report.Case{{ID: "CF-dev-0001", Family: "dev", Title: "t", Page: "p", Mode: report.ModeDevice, Status: report.Pass, Reason: says,
			Observed: []report.Observation{{What: says, Answer: says}}}}}
	data, err := anonymous(r, private)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if bytes.Contains(data, []byte(s)) {
			t.Errorf("%q stays in\n%s", s, data)
		}
	}
	if got, err := report.Decode(data); err != nil || got.Cases[0].Status != report.Pass || r.Cases[0].Reason != says {
		t.Errorf("%v, the report changed or cannot be read:\n%s", err, data)
	}
}
