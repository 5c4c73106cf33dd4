// Command cgocall makes the check of that name for go vet -vettool, also where a package was compiled in another folder.
//
// The check opens the Go files that import C, by the names that cgo noted. With -trimpath the build cache has what cgo made of the same
// files in an earlier clone, with its names. So this command puts the folder of the package there first. It knows no other check.
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

// mend has the files that cgo made name those of this package's folder. They are copies, which the go command removes after vet.
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

// noted is a line by which cgo says where what follows is from.
var noted = regexp.MustCompile(`(?m)^//line (.+[/\\])?([^/\\\n]+\.go):`)

func rename(text []byte, dir string) []byte {
	return noted.ReplaceAllFunc(text, func(line []byte) []byte {
		return append([]byte("//line "+filepath.Join(dir, string(noted.FindSubmatch(line)[2]))), ':')
	})
}
