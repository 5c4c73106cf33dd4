// Registry writes registry_test.go, the list of constructors that the tests of package recording call.
package main

import (
	"fmt"
	"os"

	"github.com/verbsgen/verbsgen/conformance/recording"
	"github.com/verbsgen/verbsgen/spec"
)

func main() {
	if err := write("registry_test.go"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(name string) error {
	s, err := spec.Embedded("")
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(recording.Registry(s)), 0o644)
}
