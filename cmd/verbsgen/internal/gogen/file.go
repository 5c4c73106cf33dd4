package gogen

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	goimports "golang.org/x/tools/imports"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// module is the path under which generated code finds the runtime packages.
const module = "github.com/verbsgen/verbsgen/"

// imports maps the names of packages that generated code uses to import paths.
var imports = map[string]string{
	"atomic": "sync/atomic", "bits": "math/bits", "context": "context", "errors": "errors", "fmt": "fmt", "math": "math", "netip": "net/netip",
	"slices": "slices", "slog": "log/slog", "strconv": "strconv", "strings": "strings", "structs": "structs",
	"sync": "sync", "syscall": "syscall", "testing": "testing",
	"time": "time", "unsafe": "unsafe",
	"gensupport": module + "runtime/gensupport", "mem": module + "runtime/mem", "verr": module + "runtime/verr",
	"bridge": module + "runtime/gensupport/bridge", "cmem": module + "runtime/gensupport/cmem",
	"devmem": module + "runtime/gensupport/devmem", "dl": module + "runtime/gensupport/dl",
	"dpath": module + "runtime/gensupport/dpath", "fail": module + "runtime/gensupport/fail",
	"gate": module + "runtime/gensupport/gate", "object": module + "runtime/gensupport/object",
}

// goFile is one Go file in the making.
type goFile struct {
	name string
	f    *jen.File
}

// newFile starts a file with the banner.
func (e *emitter) newFile(name string) *goFile {
	f := jen.NewFile(e.pkg.Name)
	f.HeaderComment(output.Banner)
	for n, p := range imports {
		f.ImportName(p, n)
	}
	for _, u := range e.pkg.Module.Uses {
		if path.Base(u.Import) == u.Name {
			f.ImportName(u.Import, u.Name)
		} else {
			f.ImportAlias(u.Import, u.Name)
		}
	}
	return &goFile{name: name, f: f}
}

// render returns the formatted file, with the standard library's packages first among the imports. A file that does not parse is a defect
// of the writers: the error shows the place.
func (g *goFile) render() ([]byte, error) {
	var b bytes.Buffer
	g.f.NoFormat = true
	if err := g.f.Render(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	formatted, err := goimports.Process(g.name, b.Bytes(), &goimports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
	if err != nil {
		return nil, fmt.Errorf("%s does not parse: %w\n%s", g.name, err, around(err.Error(), b.String()))
	}
	return formatted, nil
}

var errorLine = regexp.MustCompile(`(\d+):\d+:`)

// around returns the lines of a source around the one that an error names, with their numbers.
func around(problem, source string) string {
	m := errorLine.FindStringSubmatch(problem)
	if m == nil {
		return ""
	}
	at, _ := strconv.Atoi(m[1])
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimPrefix(source, "\n"), "\n") {
		if n := i + 1; n >= at-4 && n <= at+2 {
			fmt.Fprintf(&b, "%5d  %s\n", n, line)
		}
	}
	return b.String()
}
