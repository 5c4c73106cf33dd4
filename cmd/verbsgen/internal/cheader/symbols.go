package cheader

import (
	"debug/elf"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// Import reads the facts of a release: those of its header, under the names as included, and the default version of each
// exported function (none when versions is nil). From says where the versions were read, for an error. The error is a
// [diag.List].
func Import(opts Options, release string, versions map[string]string, from string) (*api.Release, error) {
	rel, err := Parse(opts)
	if err != nil {
		return nil, err
	}
	rel.Release = release
	if versions == nil {
		return rel, nil
	}
	var errs diag.List
	for i := range rel.Functions {
		fn := &rel.Functions[i]
		if fn.Kind == api.Inline {
			continue
		}
		version, ok := versions[fn.Name]
		if !ok {
			errs.Add(diag.At(diag.LibraryLacks, fn.Pos, fn.Name,
				from+" does not export it", "use the header and the library of the same release"))
			continue
		}
		fn.Version = version
		fn.Private = strings.Contains(version, "PRIVATE")
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return rel, nil
}

// SymbolVersions maps the functions that a shared library exports to their default versions, "" for one without: those that a program
// linked today gets, and that dlsym finds.
func SymbolVersions(lib string) (map[string]string, error) {
	refuse := func(problem string) error {
		return diag.One(diag.New(diag.LibraryRead, lib, 0, 0, "library", problem, "name the library of the header's release"))
	}
	file, err := regular.Open(lib)
	if err != nil {
		return nil, refuse("cannot be read as a shared library: " + diag.Reason(err))
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, refuse("cannot be read as a shared library: " + err.Error())
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, refuse("has no dynamic symbols: " + err.Error())
	}
	versions := map[string]string{}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.HasVersion && s.VersionIndex.IsHidden() {
			continue
		}
		versions[s.Name] = s.Version
	}
	if len(versions) == 0 {
		return nil, refuse("exports no function")
	}
	return versions, nil
}
