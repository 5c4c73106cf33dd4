package output

import (
	"bytes"
	"strings"
)

// kept is the content of a Go file that go generate still wants to read though it is no longer generated: it lists the files of a package
// before it runs the first command, and fails when one of them is gone.
const kept = Banner + `
// This file is no longer generated, and declares nothing. The next run of verbsgen removes it.

//go:build ignore

package ignored
`

// isKept reports whether a file is one that WriteKeeping left.
func isKept(data []byte) bool { return bytes.Equal(data, []byte(kept)) }

// WriteKeeping does what Write does for a run of go generate: Go files that are no longer generated keep their names, and declare nothing.
// Those of an earlier run are removed, since go generate does not read them.
func WriteKeeping(dir string, files []File) (Result, error) { return write(dir, files, true) }

// keep has Go files that are no longer generated written without declarations, and returns their names.
func (s *state) keep(files []File) ([]File, []string) {
	var gone, names []string
	for _, name := range s.leftovers {
		if data := s.leftover[name]; !strings.HasSuffix(name, ".go") || isKept(data) {
			gone = append(gone, name)
			continue
		}
		names = append(names, name)
		files = append(files, File{name, []byte(kept)})
		s.old[name] = s.leftover[name]
		delete(s.leftover, name)
	}
	s.leftovers = gone
	return files, names
}
