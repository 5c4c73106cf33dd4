//go:build linux && cgo

package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// refuse ends the program when its flags cannot be meant as they are, before anything is run. They are parsed already.
func refuse() {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, err := range []error{loose(flag.Args()), sides(given), numbers(), addresses(), readSecret(), writable(*reportFlag),
		writable(*junitFlag)} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
}

// loose refuses what stands between or behind the flags: those behind it would not be read.
func loose(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q is no flag, and what stands behind it is not read; a value of true or false follows its flag with =, as in "+
		"-overlay=true", args[0])
}

// sides refuses flags that do not go together.
func sides(given map[string]bool) error {
	switch {
	case *listenFlag != "" && (*connectFlag != "" || *peerFlag != ""):
		return errors.New("-listen goes with neither -connect nor -peer-device: those are for the side that runs the cases")
	case *listenFlag != "" && (*reportFlag != "" || *junitFlag != ""):
		return errors.New("-listen goes with neither -report nor -junit: the report is that of the side that runs the cases")
	case *connectFlag != "" && *peerFlag != "":
		return errors.New("-connect and -peer-device: the other ends are there or here")
	case *listenFlag == "" && (*onceFlag || *idleFlag != 0):
		return errors.New("-once and -idle are for the side with -listen")
	case *connectFlag == "" && given["wait"]:
		return errors.New("-wait is for the side with -connect")
	case *listenFlag == "" && *connectFlag == "" && given["secret"]:
		return errors.New("-secret is for sides with -listen or -connect")
	case given["secret"] && *secretFlag == "":
		return errors.New("-secret names no file; leave it out, or name the file that both sides have")
	}
	return nil
}

// numbers refuses ports and entries that no device has.
func numbers() error {
	if *portFlag < 1 || *portFlag > 255 {
		return fmt.Errorf("-port %d; a port is 1 to 255", *portFlag)
	}
	if *gidFlag < far.AnyGID || *gidFlag > 255 {
		return fmt.Errorf("-gid-index %d; an entry is 0 to 255, and %d has the suite choose", *gidFlag, far.AnyGID)
	}
	return nil
}

// addresses refuses what can never be connected to or listened on.
func addresses() error {
	for name, a := range map[string]string{"listen": *listenFlag, "connect": *connectFlag} {
		if a == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(a); err != nil {
			return fmt.Errorf("-%s: %w; pass HOST:PORT, and an IPv6 address in brackets", name, err)
		}
	}
	return nil
}

// writable reports before the run that a report will have no place.
func writable(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: no place for a report: it is no regular file; name one", file)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".verbsgen-")
	if err != nil {
		return fmt.Errorf("%s: no place for a report: %w", file, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// unreached fails when cases would go without the other ends that a flag asks for: they would all be skipped, and the run pass.
func unreached(t *testing.T, target *suite.Target) {
	t.Helper()
	why := target.Lacking(suite.Peer)
	rehearsal := *connectFlag != "" && *deviceFlag == suite.Software
	if why == "" || rehearsal {
		return
	}
	for _, asks := range []string{"peer-device", "connect", "gid-index"} {
		if f := flag.Lookup(asks); f.Value.String() != f.DefValue {
			t.Fatalf("-%s asks for another end, but there is none: %s", asks, why)
		}
	}
}

// TestFlags has wrong flags refused before anything runs, each with its reason.
func TestFlags(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // what is not refused may listen for ever
	defer cancel()
	for _, c := range []struct{ args, says string }{
		{"-overlay true -report out.json", `"true" is no flag`},
		{"-listen 127.0.0.1:0 -report " + dir + "/out.json", "-listen goes with neither -report nor -junit"},
		{"-listen 127.0.0.1:0 -peer-device x", "-listen goes with neither -connect nor -peer-device"},
		{"-connect 127.0.0.1:1 -peer-device x", "-connect and -peer-device: the other ends"},
		{"-once", "-once and -idle are for the side with -listen"},
		{"-wait 1s", "-wait is for the side with -connect"},
		{"-secret none", "-secret is for sides with -listen or -connect"},
		{"-listen 127.0.0.1:0 -secret=", "-secret names no file; leave it out"},
		{"-listen 127.0.0.1:0 -secret " + dir + "/none", "-secret: stat " + dir + "/none: no such file or directory; name a file"},
		{"-port 0", "-port 0; a port is 1 to 255"},
		{"-port 257", "-port 257; a port is 1 to 255"},
		{"-gid-index -2", "-gid-index -2; an entry is 0 to 255"},
		{"-gid-index 256", "-gid-index 256; an entry is 0 to 255"},
		{"-wait 0 -connect nowhere", "-connect: address nowhere: missing port in address; pass HOST:PORT"},
		{"-wait 0 -connect ::1:7471", "-connect: address ::1:7471: too many colons in address; pass HOST:PORT, and an IPv6"},
		{"-report " + dir + "/none/out.json", "/none/out.json: no place for a report"},
		{"-junit " + dir, dir + ": no place for a report: it is no regular file"},
		{"-report /dev/null", "/dev/null: no place for a report: it is no regular file"},
	} {
		out, err := exec.CommandContext(ctx, os.Args[0], strings.Fields("-test.run ^TestSuite$/^CF-dev-0001 "+c.args)...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), c.says) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v, want status 2 and %q\n%s", c.args, err, c.says, out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestUnreached asks for an entry of the GID table that is empty: that is a failure, and no run of skipped cases.
func TestUnreached(t *testing.T) {
	run := func(index string) (string, error) {
		out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSuite$/^CF-(dev-0001|acc-0003)$", "-gid-index",
			index).CombinedOutput()
		return string(out), err
	}
	if out, err := run("99"); err == nil || !strings.Contains(out,
		"-gid-index asks for another end, but there is none: no connection can be made: entry 99 of the GID table") {
		t.Errorf("entry 99: %v\n%s", err, out)
	}
	if out, err := run("0"); err != nil || !strings.Contains(out, ": 2 cases: 2 pass, 0 fail, 0 skip, 0 known\n") {
		t.Errorf("entry 0: %v\n%s", err, out)
	}
}
