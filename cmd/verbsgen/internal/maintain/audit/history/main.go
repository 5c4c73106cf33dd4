// History writes a table of the passages that the man pages of older releases lack, and of the changes of those pages that
// explain it.
//
//	history [-o FILE] RELEASE=FOLDER...
//
// The releases are given from the oldest to the newest, each with a folder of man pages. It exits 1 when a passage is missing
// that no change explains.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/audit"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

func main() {
	out := flag.String("o", "", "write the table to this `file`")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func run(out string, args []string) error {
	changes, err := readChanges(api.Releases())
	if err != nil {
		return err
	}
	sp, err := spec.Embedded("")
	if err != nil {
		return err
	}
	tool, err := audit.FindTool()
	if err != nil {
		return err
	}
	var audits []audited
	for _, arg := range args {
		release, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q is no RELEASE=FOLDER", arg)
		}
		report, err := tool.Audit(context.Background(), sp.Pages, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", release, err)
		}
		if report.Empty() {
			return fmt.Errorf("%s: no man page in %s", release, dir)
		}
		// of plain passages only the newest page has to be read
		entries := slices.DeleteFunc(report.Entries, func(e audit.Entry) bool { return strings.HasPrefix(e.ID, "plain ") })
		audits = append(audits, audited{release, entries})
	}
	t, err := explain(api.Releases(), changes, audits)
	if err != nil {
		return err
	}
	text := t.markdown()
	if out == "" {
		fmt.Print(text)
	} else if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return err
	}
	return t.unexplainedErr()
}
