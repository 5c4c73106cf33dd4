package exports

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Library is the path of the module that programs import.
const Library = "github.com/verbsgen/verbsgen"

// unpromised is the folder of packages that programs do not import.
const unpromised = "runtime/gensupport/"

// Load compiles and reads the packages that programs import, and others of the library. Their keys are their paths without the module,
// gen, runtime and gensupport.
func Load(others ...string) (map[string]*types.Package, error) {
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
	list, err := packages.Load(&packages.Config{Mode: mode}, Library+"/gen/...", Library+"/runtime/...")
	all := map[string]*types.Package{}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		in := strings.TrimPrefix(p.PkgPath, Library+"/")
		if p.ExportFile == "" || p.Name == "main" || strings.Contains(in+"/", "/internal/") {
			continue
		}
		if !strings.HasPrefix(in+"/", unpromised) || slices.Contains(others, in) {
			_, short, _ := strings.Cut(in, "/")
			all[strings.TrimPrefix(short, "gensupport/")] = p.Types
		}
	}
	return all, err
}
