package exports

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Library is the path of the module that programs import.
const Library = "github.com/verbsgen/verbsgen"

// unpromised is the folder of packages that programs do not import.
const unpromised = "runtime/gensupport/"

// Load compiles and reads the packages that programs import, and others of the library. Their keys are their paths without the module,
// gen, runtime and gensupport.
func Load(others ...string) (map[string]*types.Package, error) {
	const each = "{{if and .Export (ne .Name \"main\")}}{{.ImportPath}} {{.Export}}{{end}}"
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", each, Library+"/gen/...", Library+"/runtime/...")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %v\n%s", cmd, err, &said)
	}
	files, paths := map[string]string{}, []string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
		if in, ok := strings.CutPrefix(path, Library+"/"); ok && !strings.Contains(in+"/", "/internal/") &&
			(!strings.HasPrefix(in+"/", unpromised) || slices.Contains(others, in)) {
			paths = append(paths, in)
		}
	}
	read := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	all := map[string]*types.Package{}
	for _, in := range paths {
		pkg, err := read.Import(Library + "/" + in)
		if err != nil {
			return nil, err
		}
		_, short, _ := strings.Cut(in, "/")
		all[strings.TrimPrefix(short, "gensupport/")] = pkg
	}
	return all, nil
}
