// Package special reads the Go that is written by hand: the files of templates/verbs, each the methods of a few verbs that no
// form fits. A generated package that has the verbs gets a copy of the file.
//
// It owns the directives above the package clauses, which say what a file was written for. It knows nothing of pages, of headers
// or of how a package is put together.
package special

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/templates"
)

// File is one file.
type File struct {
	Name    string   // rereg.go
	Faces   []*Func  // the verbs that it has the methods of; they come together
	Calls   []*Func  // further functions that it calls, which come with the faces
	With    []string // C functions, and types of the package, without which the file is left out
	Without []string // those with which it is left out
	Methods []string // "MR.Rereg"
	Body    string   // what follows the package clause
	uses    map[string]bool
}

// Func is a C function, as a file was written for it.
type Func struct {
	C      string
	Ret    string   // C type
	Params []string // C types
	At     string   // templates/verbs/rereg.go:3

	Runtime            bool     // a package under runtime/ calls it, so that it has no C shim
	Reads              []string // C records whose members that package reads, beside those of the parameters
	Requests, Elements string   // C types of chained requests, and of their lists; see form.Form
	Unchecked          string   // why its rules are not checked before a call
	Kept               bool     // of Unchecked: a rule's own reason goes first
}

// Uses reports whether a file mentions a name.
func (f *File) Uses(name string) bool { return f.uses[name] }

// Files are all files, by name.
var Files = sync.OnceValues(func() ([]*File, error) { return read(templates.Verbs) })

// Find gives a verb that a file has the methods of, or nil.
func Find(c string) *Func {
	files, _ := Files() // an error is that of every plan
	for _, f := range files {
		for _, x := range f.Faces {
			if x.C == c {
				return x
			}
		}
	}
	return nil
}

// Calls lists the functions that come with a verb.
func Calls(c string) (out []*Func) {
	files, _ := Files()
	for _, f := range files {
		for _, x := range f.Faces {
			if x.C == c {
				out = append(append(out, f.Faces...), f.Calls...)
			}
		}
	}
	return out
}

// HasMethod reports whether a file has a method: "MR.Rereg".
func HasMethod(name string) bool {
	files, _ := Files()
	for _, f := range files {
		for _, m := range f.Methods {
			if m == name {
				return true
			}
		}
	}
	return false
}

// In chooses the files of a package, by what it has: C functions and Go types.
func In(has func(name string) bool) (out []*File, err error) {
	files, err := Files()
	for _, f := range files {
		if f.in(has) {
			out = append(out, f)
		}
	}
	return out, err
}

func (f *File) in(has func(name string) bool) bool {
	for _, x := range append(append([]*Func(nil), f.Faces...), f.Calls...) {
		if !has(x.C) {
			return false
		}
	}
	for _, name := range f.With {
		if !has(name) {
			return false
		}
	}
	for _, name := range f.Without {
		if has(name) {
			return false
		}
	}
	return true
}

// read reads the files of a folder tree.
func read(from fs.FS) (out []*File, err error) {
	names, err := fs.Glob(from, "verbs/*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		f, err := parse("templates/"+name, string(data))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// parse reads one file.
func parse(name, source string) (*File, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out := &File{Name: path.Base(name), Body: source[fset.Position(file.Name.End()).Offset:], uses: map[string]bool{}}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if text, ok := strings.CutPrefix(c.Text, "//verbsgen:"); ok && c.Pos() < file.Package {
				at := fset.Position(c.Pos())
				if err := out.directive(fmt.Sprintf("%s:%d", name, at.Line), text); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
			recv := fn.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			out.Methods = append(out.Methods, recv.(*ast.Ident).Name+"."+fn.Name.Name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out.uses[id.Name] = true
		}
		return true
	})
	return out, nil
}

// directive reads one line above the package clause. Those that describe a face are about the last one before.
func (f *File) directive(at, text string) error {
	key, rest, _ := strings.Cut(text, " ")
	switch key {
	case "face", "calls":
		fn, err := signature(rest)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		fn.At = at
		if key == "face" {
			f.Faces = append(f.Faces, fn)
		} else {
			f.Calls = append(f.Calls, fn)
		}
		return nil
	case "with":
		f.With = append(f.With, strings.Fields(rest)...)
		return nil
	case "without":
		f.Without = append(f.Without, strings.Fields(rest)...)
		return nil
	}
	if len(f.Faces) == 0 {
		return fmt.Errorf("%s: %s is about a face, and there is none before it", at, key)
	}
	last := f.Faces[len(f.Faces)-1]
	switch key {
	case "runtime":
		last.Runtime = true
	case "reads":
		last.Reads = list(rest)
	case "requests":
		last.Requests = rest
	case "elements":
		last.Elements = rest
	case "unchecked":
		last.Unchecked = rest
	case "kept":
		last.Unchecked, last.Kept = rest, true
	default:
		return fmt.Errorf("%s: there is no directive verbsgen:%s", at, key)
	}
	return nil
}

// signature reads a C declaration without names of parameters: int ibv_close_device(struct ibv_context *).
func signature(text string) (*Func, error) {
	head, params, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ")"), "(")
	at := strings.LastIndexAny(head, " *") + 1
	if !ok || at == 0 || head[at:] == "" {
		return nil, fmt.Errorf("%q is no declaration of a C function", text)
	}
	fn := &Func{C: head[at:], Ret: strings.TrimSpace(head[:at])}
	if params != "void" {
		fn.Params = list(params)
	}
	return fn, nil
}

// list splits at commas.
func list(text string) (out []string) {
	for x := range strings.SplitSeq(text, ",") {
		out = append(out, strings.TrimSpace(x))
	}
	return out
}
