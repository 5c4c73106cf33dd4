package main

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
)

// clonePages reports whether the working folder is in a clone of verbsgen. It is an error if the pages there are not those inside this
// command: what the command generated or compared would be of other pages than the developer sees.
func clonePages() (inClone bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, err
	}
	root := output.ModuleRoot(dir, "github.com/verbsgen/verbsgen")
	if root == "" {
		return false, nil
	}
	names := spec.Differing(os.DirFS(filepath.Join(root, "spec")))
	if len(names) == 0 {
		return true, nil
	}
	problem := "this page of the clone differs from the one that the command was built with"
	if more := len(names) - 1; more > 0 {
		problem += ", and " + strconv.Itoa(more) + " more"
	}
	return true, diag.One(diag.New(diag.PagesDiffer, "spec/"+names[0], 0, 0, "pages", problem,
		"build the command again (go install ./cmd/verbsgen at the root of the clone), or run go run ./cmd/verbsgen there"))
}
