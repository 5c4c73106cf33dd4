// Statements writes docs/statements.md: what each man page demands and says, in our own words, and what covers each statement.
//
//	statements [-o FILE]
//
// Everything in it is from the pages of the spec: their rules, notes, left-out statements and plain passages.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/verbsgen/verbsgen/spec"
)

func main() {
	out := flag.String("o", "", "write the list to this `file`")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "statements:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	sp, err := spec.Embedded()
	if err != nil {
		return err
	}
	text := markdown(sp.Pages)
	if out == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
