package output

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// CheckTarget looks whether the generated Go files can stand beside the hand-written ones of the folder: in the same
// package, without declaring a name twice. A hand-written file that a build constraint keeps out of the package on
// linux with cgo does not count, nor does one that is too broken to be read: the compiler will tell. The error
// is a diag.List that names both places.
func CheckTarget(dir string, files []File, pkg string) error {
	hand := handWritten(dir)
	if len(hand) == 0 {
		return nil
	}
	generated, err := declared(files)
	if err != nil {
		return err
	}
	var errs diag.List
	for _, h := range hand {
		if h.inPackage() {
			errs = append(errs, h.problems(generated, pkg)...)
		}
	}
	return errs.Err()
}

// PackageProblem says why generated files cannot be of a package of this name, as a text to follow the name; nothing when
// they can.
func PackageProblem(name string) string {
	switch {
	case !token.IsIdentifier(name) || name == "_" || name == "main":
		return " is no name for a Go package that others import"
	case name == "documentation":
		return ": the go command ignores files of a package of this name"
	case strings.HasSuffix(name, "_test"):
		return ": the go command takes a package of this name for a test"
	}
	return ""
}

// handFile is one Go file in the folder that verbsgen did not write.
type handFile struct {
	at   string
	data []byte
	fset *token.FileSet
	file *ast.File
}

// handWritten parses the hand-written Go files of a folder. What cannot be read is told by Write where it matters.
func handWritten(dir string) (hand []handFile) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") || filepath.Ext(at) != ".go" {
			continue
		}
		data, err := regular.Read(at, MaxFile)
		if err != nil || ours(data) {
			continue
		}
		h := handFile{at: at, data: data, fset: token.NewFileSet()}
		h.file, _ = parser.ParseFile(h.fset, at, data, parser.SkipObjectResolution)
		if h.file != nil && h.file.Name != nil && h.file.Name.Name != "" && h.file.Name.Name != "_" {
			hand = append(hand, h)
		}
	}
	return hand
}

// problems says what keeps the file from standing beside the generated ones.
func (h handFile) problems(generated map[string]string, pkg string) diag.List {
	var errs diag.List
	name := h.file.Name.Name
	isTest := strings.HasSuffix(h.at, "_test.go")
	if isTest && name == pkg+"_test" {
		return nil
	}
	if name != pkg {
		p := h.fset.Position(h.file.Name.Pos())
		suggest := name
		if isTest {
			suggest = strings.TrimSuffix(name, "_test")
		}
		fix := "choose another folder, such as -o " + filepath.ToSlash(filepath.Join(filepath.Dir(h.at), pkg))
		if PackageProblem(suggest) == "" {
			fix = "choose --pkg " + suggest + ", or another folder with -o"
		}
		errs.Add(diag.New(diag.OutputPackage, h.at, p.Line, p.Column, "package "+name,
			"the generated files in this folder would be of package "+pkg,
			fix))
		return errs
	}
	eachDecl(h.file, func(name string, pos token.Pos) {
		if where, ok := generated[name]; ok {
			p := h.fset.Position(pos)
			errs.Add(diag.New(diag.OutputClash, h.at, p.Line, p.Column, name,
				"is declared here and by the generated "+where,
				"rename it, or leave its verb out of --only"))
		}
	})
	return errs
}

// declared maps each package-level name and method of the generated Go files to its place.
func declared(files []File) (map[string]string, error) {
	all := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("generated Go does not parse: %w", err)
		}
		eachDecl(file, func(name string, pos token.Pos) {
			p := fset.Position(pos)
			all[name] = fmt.Sprintf("%s:%d:%d", f.Name, p.Line, p.Column)
		})
	}
	return all, nil
}

// eachDecl calls fn for each name that a file declares in its package: "DM", and "DM.Close" for a method.
func eachDecl(file *ast.File, fn func(name string, pos token.Pos)) {
	one := func(id *ast.Ident) {
		if id.Name != "_" {
			fn(id.Name, id.Pos())
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) == 1 {
				t, _, _ := strings.Cut(strings.Trim(types.ExprString(d.Recv.List[0].Type), "*()"), "[")
				fn(t+"."+d.Name.Name, d.Name.Pos())
			} else if d.Recv == nil && d.Name.Name != "init" {
				one(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					one(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						one(id)
					}
				}
			}
		}
	}
}

// inPackage reports whether a file belongs to a package where generated code builds: on linux, with cgo. The go command
// leaves out what a build constraint or the file's name keeps out, and files of package documentation.
func (h handFile) inPackage() bool {
	if h.file.Name.Name == "documentation" {
		return false
	}
	ctx := build.Default
	ctx.GOOS, ctx.CgoEnabled, ctx.BuildTags = "linux", true, goflagsTags()
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.data)), nil }
	for _, arch := range []string{"amd64", "arm64"} {
		ctx.GOARCH = arch
		part, err := ctx.MatchFile(filepath.Dir(h.at), filepath.Base(h.at))
		if part || err != nil { // a file whose head cannot be read is the compiler's to tell
			return true
		}
	}
	return false
}

// goflagsTags returns the build tags that the environment sets for the go command.
func goflagsTags() []string {
	var tags []string
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		if list, ok := strings.CutPrefix(strings.TrimLeft(f, "-"), "tags="); ok {
			tags = append(tags, strings.Split(list, ",")...)
		}
	}
	return tags
}
