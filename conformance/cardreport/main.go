//go:build linux

// Command cardreport runs the conformance suite on an RDMA device and writes a report that can be published: it contains no name of the
// machine, its users or its addresses. Before it opens the device it prints what it is about to do, and waits for Enter.
//
//	go run github.com/verbsgen/verbsgen/conformance/cardreport@latest mlx5_0
//
// It owns what it says of the machine and what is removed from the report. The cases are those of package suite.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// limit is how long the run may take. A case that has begun may go on for a minute.
const (
	limit   = 9 * time.Minute
	minutes = "nine minutes"
)

// form is where a report is sent.
const form = "https://github.com/verbsgen/verbsgen/issues/new?template=card.yml"

const plan = `This runs the conformance suite of verbsgen, %[1]d cases, on port %[3]d of %[2]s.

What it does
  device    opens %[2]s anew for each case, and no other device
  port      sends small messages from the port to itself and to addresses that
            nobody has, and joins multicast groups that it leaves again; it
            overruns and breaks only queues of its own
  memory    pins less than %[4]d MiB at a time; the most for moments, when a case
            creates queues of the greatest size that the device allows
  load      one case at a time, on one or two CPUs; most cases take milliseconds
  duration  about a minute; after %[5]s it starts no further case
  file      writes %[6]s and nothing else

What it never does
  It changes no setting of the device, the driver, the network or the machine,
  and needs no root: as an ordinary user it skips the cases that need
  privileges. It sends no raw packets on a card and redirects no traffic of
  others. It sends the report nowhere.

Other programs may use the port meanwhile. A defect of a driver or a card can
still disturb them: choose a machine on which that does no harm.
`

// most is the memory that the cases pin at a time, in MiB. Pinned memory is resident. On the emulated card, which also keeps its own
// memory in the process, 549 MiB were resident at most.
const most = 1024

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cardreport:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: cardreport [-yes] [-port N] [-o FILE] DEVICE")

const help = `cardreport runs the conformance suite on an RDMA device and writes a report
without names and addresses of the machine. It says first what it will do.

  cardreport [-yes] [-port N] [-o FILE] DEVICE

  DEVICE    as ibv_devices lists it; may be left out where there is only one
  -port N   port of the device; 1 without the flag
  -o FILE   the report; verbsgen-report.json without the flag
  -yes      begin without waiting for Enter
`

func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("cardreport", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	yes := flags.Bool("yes", false, "")
	port := flags.Uint("port", 1, "")
	file := flags.String("o", "verbsgen-report.json", "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(out, help)
		return err
	} else if err != nil {
		return fmt.Errorf("%w\n%w", errUsage, err)
	}
	name, err := device(flags.Args())
	if err != nil {
		return err
	}
	if *port < 1 || *port > 255 {
		return fmt.Errorf("%w: port %d is not 1 to 255", errUsage, *port)
	}
	list := slices.DeleteFunc(cases.All(), func(c suite.Case) bool { return slices.Contains(c.Needs, suite.Memory) })
	fmt.Fprintf(out, plan, len(list), name, *port, most, minutes, *file)
	if hint := fail.MemlockHint(); hint != "" {
		fmt.Fprintf(out, "\nCases that pin much memory may fail here: %s\n", hint)
	}
	if !*yes {
		fmt.Fprint(out, "\nPress Enter to begin, Ctrl-C to leave: ")
		if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
			return errors.New("nothing was run: no Enter was read; -yes runs the suite without it")
		}
	}
	target, err := suite.Open(suite.Config{Device: name, Port: uint8(*port), GIDIndex: far.AnyGID})
	if err != nil {
		return err
	}
	r, err := runCases(target, list, *file, out)
	if err != nil {
		return err
	}
	n := r.Count()
	fmt.Fprintf(out, "%d cases passed, %d failed, %d were skipped, %d are known defects.\n\n", n[report.Pass], n[report.Fail],
		n[report.Skip], n[report.Known])
	fmt.Fprintf(out, "The report is %s. Read it, then attach it to\n%s\n", *file, form)
	return nil
}

// device is the device of the command line, or the only one of the machine.
func device(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	entries, _ := os.ReadDir(sysfs.Path("class/infiniband"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	switch {
	case len(args) == 0 && len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("%w\nthe machine has no RDMA device", errUsage)
	}
	return "", fmt.Errorf("%w\nthe devices are: %s", errUsage, strings.Join(names, ", "))
}

// runCases runs the cases. Before each one it writes the report, in which that case has not ended: should the process die in it, the file
// shows where.
func runCases(target *suite.Target, list []suite.Case, file string, out io.Writer) (*report.Report, error) {
	private := pattern(identifiers())
	var results []report.Case
	write := func(more ...report.Case) (*report.Report, error) {
		r := target.Report(slices.Concat(results, more))
		data, err := anonymous(r, private)
		if err != nil {
			return nil, err
		}
		return r, renameio.WriteFile(file, data, 0o644)
	}
	began := time.Now()
	for i, c := range list {
		if _, err := write(target.Unended(c)); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Clean(file), err)
		}
		res := target.Unended(c)
		if time.Since(began) < limit {
			res = target.Run(c)
		} else {
			res.Status, res.Reason = report.Skip, "the "+minutes+" of the run were over"
		}
		if res.Status == report.Fail {
			fmt.Fprintf(out, "%s failed: %s: %s\n", c.ID, c.Title, res.Reason)
		}
		results = append(results, res)
		if (i+1)%100 == 0 {
			fmt.Fprintf(out, "%d of %d cases\n", i+1, len(list))
		}
	}
	return write()
}
