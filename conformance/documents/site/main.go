// Command site writes the project's web site into a folder: a page for each verb, the guides, and the results of the conformance suite. The
// pages are static and need no network.
//
//	go run ./conformance/documents/site -o site
//
// It owns how the site looks. What it shows comes from the pages below spec, the facts, the Go packages and their examples, README.md and
// docs.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "site", "folder to write; what is in it stays, and files of the same name are replaced")
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	n, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s; open %s/index.html\n", n, *out, *out)
}
