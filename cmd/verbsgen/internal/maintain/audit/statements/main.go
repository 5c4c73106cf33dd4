// Statements prints, in Markdown, what each man page demands and says, in our own words, and what covers each statement.
//
//	statements [-counts]
//
// With -counts it prints how many statements of each page are covered by what.
// Everything in it is from the pages of the spec: their rules, notes, left-out statements and plain passages.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/verbsgen/verbsgen/spec"
)

func main() {
	count := flag.Bool("counts", false, "print the numbers of each page")
	flag.Parse()
	if err := run(*count); err != nil {
		fmt.Fprintln(os.Stderr, "statements:", err)
		os.Exit(1)
	}
}

func run(count bool) error {
	pages, err := all()
	if err != nil {
		return err
	}
	text := markdown(pages)
	if count {
		text = sums(pages)
	}
	_, err = os.Stdout.WriteString(text)
	return err
}

// modules are the libraries whose man pages were read, in the order of the list.
var modules = []string{"verbs", "rdmacm", "efadv", "hnsdv", "mlx5dv"}

// all returns the pages of these modules.
func all() ([]*spec.Page, error) {
	var pages []*spec.Page
	for _, name := range modules {
		sp, err := spec.Embedded(name)
		if err != nil {
			return nil, err
		}
		pages = append(pages, sp.Pages...)
	}
	return pages, nil
}
