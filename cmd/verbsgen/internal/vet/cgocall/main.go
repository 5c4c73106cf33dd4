// Command cgocall is a tool for go vet -vettool. It makes vet's check cgocall, also for a package that was compiled in another clone.
//
// The check opens the Go files that import C. It has their names from the files that cgo made of them. With -trimpath those may come from
// the build cache and name the files of another clone. So this command first writes the names of this clone's files there. It makes no
// other check.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis/passes/cgocall"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	if last := os.Args[len(os.Args)-1]; strings.HasSuffix(last, ".cfg") {
		if err := mend(last); err != nil {
			fmt.Fprintln(os.Stderr, "cgocall:", err)
			os.Exit(1)
		}
	}
	unitchecker.Main(cgocall.Analyzer)
}

// mend changes the files that cgo made, so that they name the files in the folder of the package. The go command made copies of them for
// vet, and removes these.
func mend(config string) error {
	var c struct {
		Dir     string
		GoFiles []string
	}
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	for _, file := range c.GoFiles {
		if !strings.HasSuffix(file, ".cgo1.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if here := rename(text, c.Dir); string(here) != string(text) {
			if err := os.WriteFile(file, here, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// noted matches a line of cgo that names the file from which the next lines come.
var noted = regexp.MustCompile(`(?m)^//line (.+[/\\])?([^/\\\n]+\.go):`)

// rename puts a folder into the lines that name files.
func rename(text []byte, dir string) []byte {
	return noted.ReplaceAllFunc(text, func(line []byte) []byte {
		return append([]byte("//line "+filepath.Join(dir, string(noted.FindSubmatch(line)[2]))), ':')
	})
}
