package generate

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestMirrorOffsets compares the offset of each field of each mirror, as the Go compiler has it on both architectures, with C's. The
// generated code itself only holds the sizes.
func TestMirrorOffsets(t *testing.T) {
	for _, release := range []string{api.Releases()[0], api.Newest()} {
		rel, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		files, _, err := Run(rel, pages(t), Options{Package: "p", Foreign: true})
		if err != nil {
			t.Fatal(err)
		}
		records := map[string]*api.Record{}
		for i := range rel.Records {
			records[rel.Records[i].Tag] = &rel.Records[i]
		}
		for _, f := range files {
			if f.Name != "records.gen.go" {
				continue
			}
			for _, arch := range []string{"amd64", "arm64"} {
				if n := checkMirrors(t, string(f.Data), arch, records); n < 300 {
					t.Errorf("release %s on %s: only %d fields were compared", release, arch, n)
				}
			}
		}
	}
}

// hostLayout is an importer that knows structs.HostLayout alone, which has no size.
type hostLayout struct{}

func (hostLayout) Import(path string) (*types.Package, error) {
	if path != "structs" {
		return nil, errors.New("not looked at")
	}
	pkg := types.NewPackage(path, path)
	name := types.NewTypeName(token.NoPos, pkg, "HostLayout", nil)
	types.NewNamed(name, types.NewStruct(nil, nil), nil)
	pkg.Scope().Insert(name)
	pkg.MarkComplete()
	return pkg, nil
}

// checkMirrors compares the mirrors of a file on one architecture, and returns the number of their fields.
func checkMirrors(t *testing.T, source, arch string, records map[string]*api.Record) (n int) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "records.gen.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			name := d.Specs[0].(*ast.TypeSpec).Name.Name
			if _, tag, ok := strings.Cut(d.Doc.Text(), name+" has the layout of "); ok {
				tags[name] = strings.TrimSuffix(strings.TrimSpace(tag), ".")
			}
		}
	}
	sizes := types.SizesFor("gc", arch)
	cfg := types.Config{Sizes: sizes, Importer: hostLayout{}, IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := cfg.Check("p", fset, []*ast.File{file}, nil)
	for name, tag := range tags {
		s := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		var fields []*types.Var
		for i := range s.NumFields() {
			fields = append(fields, s.Field(i))
		}
		if records[tag] == nil { // the system's
			continue
		}
		offsets := map[string]int64{}
		for _, f := range records[tag].Fields {
			offsets[model.LeafName(f.Name)] = f.Offset
		}
		for i, at := range sizes.Offsetsof(fields) {
			if f := fields[i].Name(); f != "_" {
				n++
				if want, ok := offsets[f]; !ok || at != want {
					t.Errorf("%s.%s is at %d on %s, in C at %d (%t)", name, f, at, arch, want, ok)
				}
			}
		}
	}
	return n
}
