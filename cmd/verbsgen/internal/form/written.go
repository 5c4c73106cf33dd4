package form

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/templates"
)

// This file reads the Go that is written by hand: the files of templates/verbs, each the methods of a few verbs that no other form fits. A
// generated package that has the verbs gets a copy of the file. Directives above the package clause say what it was written for.

// File is one file.
type File struct {
	Name    string   // rereg.go
	Faces   []*Func  // the verbs that it has the methods of; they come together
	Calls   []*Func  // further functions that it calls, which come with the faces
	Of      []string // objects with which the faces come
	Needs   []string // objects that come with the faces
	With    []string // C functions, and types of the package, without which the file is left out
	Without []string // it is left out where the package has all of these
	Methods []string // "MR.Rereg"

	// What it needs of handles, by their types.
	Waits  map[string]string // events arrive on them: the type of what waits
	Finds  []string          // events name them by the address of the C object
	Names  []string          // requests name them by that, too
	Gates  map[string]string // the type of the gate of their data path
	Fields []Field           // further fields

	Body string // what follows the package clause
	uses map[string]bool
}

// Field is a field of a handle.
type Field struct{ Handle, Name, Type, Remark string }

// Func is a C function, as a file was written for it.
type Func struct {
	C string
	Form
	Optional bool             // of calls: releases may lack it
	Posts    string           // what the method does that posts a batch, and that the generator writes; empty for others
	Values   map[string]int64 // constants of the header
}

// Uses reports whether a file mentions a name.
func (f *File) Uses(name string) bool { return f.uses[name] }

// Files are all files, by name.
var Files = sync.OnceValues(func() ([]*File, error) { return read(templates.Verbs) })

// FileOf returns the file with the methods of a verb; an empty one where there is none.
func FileOf(c string) *File {
	files, _ := Files() // an error is that of every package
	for _, f := range files {
		if f.face(c) != nil {
			return f
		}
	}
	return &File{}
}

// face returns the verb of a C name that the file has the methods of, or nil.
func (f *File) face(c string) *Func {
	for _, x := range f.Faces {
		if x.C == c {
			return x
		}
	}
	return nil
}

// Written returns a verb that a file has the methods of, or nil.
func Written(c string) *Func { return FileOf(c).face(c) }

// All are the functions that come with each verb of the file, and those verbs.
func (f *File) All() []*Func { return slices.Concat(f.Faces, f.Calls) }

// With lists the verbs that come with an object.
func With(object string) (out []*Func) {
	files, _ := Files()
	for _, f := range files {
		if slices.Contains(f.Of, object) {
			out = append(out, f.Faces...)
		}
	}
	return out
}

// HasMethod reports whether a file has a method: "MR.Rereg".
func HasMethod(name string) bool {
	files, _ := Files()
	return slices.ContainsFunc(files, func(f *File) bool { return slices.Contains(f.Methods, name) })
}

// FilesOf chooses the files of a package: by its verbs whose pages have methods that are written by hand, and by all that it has,
// C functions and Go types.
func FilesOf(written, has func(name string) bool) (out []*File, err error) {
	files, err := Files()
	for _, f := range files {
		if f.in(written, has) {
			out = append(out, f)
		}
	}
	return out, err
}

func (f *File) in(written, has func(name string) bool) bool {
	needs := append(slices.Clone(f.With), f.Needs...)
	for _, x := range f.Calls {
		if !x.Optional {
			needs = append(needs, x.C)
		}
	}
	return !slices.ContainsFunc(f.Faces, func(x *Func) bool { return !written(x.C) }) &&
		!slices.ContainsFunc(needs, func(name string) bool { return !has(name) }) &&
		(len(f.Without) == 0 || slices.ContainsFunc(f.Without, func(name string) bool { return !has(name) }))
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
	out := &File{Name: path.Base(name), Body: source[fset.Position(file.Name.End()).Offset:], Waits: map[string]string{},
		Gates: map[string]string{}, uses: map[string]bool{}}
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
	lists := map[string]*[]string{"of": &f.Of, "needs": &f.Needs, "with": &f.With, "without": &f.Without, "finds": &f.Finds, "names": &f.Names}
	if to := lists[key]; to != nil {
		*to = strings.Fields(rest)
		return nil
	}
	switch key {
	case "face", "calls", "optional":
		return f.function(at, key, rest)
	case "waits", "gate", "field":
		return f.handle(at, key, rest)
	}
	if len(f.Faces) == 0 {
		return fmt.Errorf("%s: %s must follow a face", at, key)
	}
	last := f.Faces[len(f.Faces)-1]
	if key == "posts" {
		method, does, _ := strings.Cut(rest, " ")
		f.Methods, last.Posts = append(f.Methods, method, method+"Range"), does
		return nil
	}
	return last.directive(at, key, rest)
}

// function reads the C signature of a function that a file is the face of, or calls.
func (f *File) function(at, key, rest string) error {
	fn, err := declaration(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	fn.At, fn.Optional = at, key == "optional"
	if key == "face" {
		f.Faces = append(f.Faces, fn)
	} else {
		f.Calls = append(f.Calls, fn)
	}
	return nil
}

// directive reads what a file says of a function that it is the face of.
func (fn *Func) directive(at, key, rest string) error {
	switch key {
	case "runtime":
		fn.Runtime = true
	case "reads":
		fn.Reads = list(rest)
	case "requests":
		types := list(rest)
		if len(types) != 3 {
			return fmt.Errorf("%s: write requests REQUEST, ELEMENT, RANGE", at)
		}
		fn.Requests, fn.Elements, fn.Range, fn.Parts = types[0], types[1], types[2], explains
	case "unchecked":
		fn.Unchecked = rest
	case "value":
		name, number, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(number, 0, 64)
		if err != nil {
			return fmt.Errorf("%s: write value NAME NUMBER", at)
		}
		fn.Values[name] = n
	case "lints":
		fn.UncheckedLints = rest
	case "kept":
		fn.Unchecked, fn.RuleFirst = rest, true
	default:
		return fmt.Errorf("%s: there is no directive verbsgen:%s", at, key)
	}
	return nil
}

// handle reads what a file needs of a handle: a type, and for a field its name and a remark, too.
func (f *File) handle(at, key, rest string) error {
	of, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return fmt.Errorf("%s: %s needs a handle and a type", at, key)
	}
	switch key {
	case "waits":
		f.Waits[of] = rest
	case "gate":
		f.Gates[of] = rest
	case "field":
		decl, remark, _ := strings.Cut(rest, " // ")
		name, typ, _ := strings.Cut(decl, " ")
		f.Fields = append(f.Fields, Field{of, name, typ, remark})
	}
	return nil
}

// declaration reads a C function without names of parameters: int ibv_close_device(struct ibv_context *).
func declaration(text string) (*Func, error) {
	head, params, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(text), ")"), "(")
	at := strings.LastIndexAny(head, " *") + 1
	if !ok || at == 0 || head[at:] == "" {
		return nil, fmt.Errorf("%q is no declaration of a C function", text)
	}
	fn := &Func{C: head[at:], Form: Form{Name: Special, Sig: sig(strings.TrimSpace(head[:at]))}, Values: map[string]int64{}}
	for _, c := range list(params) {
		if c != "void" {
			fn.Sig.Params = append(fn.Sig.Params, Param{C: c})
		}
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
