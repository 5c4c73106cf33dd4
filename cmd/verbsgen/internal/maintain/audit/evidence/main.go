// Evidence compares the sources that rules, parties and notes cite with the sources themselves, and stores a hash of each cited
// function in spec/evidence.txt.
//
//	evidence [-o FILE] PROJECT:RELEASE=FOLDER... PROJECT=REPOSITORY...
//	evidence [-o FILE] -new PROJECT:RELEASE=FOLDER
//
// A tree is a folder with the files of one release, or a git repository, in which releases are tags; a folder is taken before a
// repository. What is cited and does not exist is an error, and so is a release that the repository of its project lacks; then nothing is
// written.
// Of a project without a repository, the hashes of releases that no folder is given for stay. Comments and white space do not change a
// hash. What errors rest on is also read at the floor and at the newest release that pages cite; evidence lists the errors for which
// the text differs there, and the sources that do not say what changed between their releases.
//
// With -new it writes nothing: it lists the functions with a text that no stored hash has, and the rules that rest on them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	file := flag.String("o", "spec/evidence.txt", "the `file` with the hashes")
	newer := flag.String("new", "", "list what differs in this `tree`, PROJECT:RELEASE=FOLDER")
	flag.Parse()
	if err := run(os.Stdout, *file, *newer, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, file, newer string, args []string) error {
	before, err := readEvidence(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	pages, err := readPages()
	if err != nil {
		return err
	}
	if newer != "" {
		t, err := parseTree(newer)
		if err == nil && t.release == "" {
			err = fmt.Errorf("-new %s: name the release, as in linux:v7.3=FOLDER", newer)
		}
		if err != nil {
			return err
		}
		printChanges(out, t, changes(pages.list, before, t))
		return nil
	}
	var trees []tree
	for _, arg := range args {
		t, err := parseTree(arg)
		if err != nil {
			return err
		}
		trees = append(trees, t)
	}
	r := collect(pages.list, newSources(trees), before, &pages.ends)
	for _, p := range r.problems {
		fmt.Fprintln(out, p)
	}
	for _, release := range slices.Sorted(maps.Keys(r.unread)) {
		fmt.Fprintf(out, "not read: %d citations of %s, which no tree is given for\n", r.unread[release], release)
	}
	fmt.Fprintf(out, "%d functions of cited sources have a hash; %d sources name no function\n", len(r.hashes), r.unnamed)
	for _, text := range pages.toRead(r.hashes) {
		fmt.Fprintln(out, text)
	}
	if len(r.problems) > 0 {
		return fmt.Errorf("%d citations of what does not exist; correct the pages. %s is not written", len(r.problems), file)
	}
	return os.WriteFile(file, evidenceText(r.hashes), 0o644)
}

func printChanges(out io.Writer, t tree, list []*change) {
	for _, c := range list {
		fmt.Fprintf(out, "%s: %s: %s since %s: %s\n", c.file, c.function, c.what, c.release, strings.Join(c.of, ", "))
	}
	fmt.Fprintf(out, "%d functions differ in %s %s\n", len(list), t.project, t.release)
}
