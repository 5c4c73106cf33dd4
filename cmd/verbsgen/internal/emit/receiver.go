package emit

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// receivers are the names that the receivers of handles have, by their types: as the parameter of the C functions is called that the
// methods are made of.
func receivers(pkg *model.Package) map[string]string {
	names := map[string]string{}
	for _, o := range pkg.Objects {
		names[o.Go] = naming.Param(naming.Unexported(o.Go))
	}
	for _, v := range slices.Backward(pkg.Verbs) {
		for _, p := range v.Params {
			for _, m := range v.Methods {
				if p.Object != nil && p.Object.Go == m.Recv {
					names[m.Recv] = p.Go
				}
			}
		}
	}
	return names
}

// receive gives all methods of a type the same name of the receiver.
func receive(src []byte, names map[string]string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	type edit struct {
		at       int
		from, to string
	}
	var edits []edit
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
			continue
		}
		star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		recv, want := fn.Recv.List[0].Names[0], names[types.ExprString(star.X)]
		if want == "" || recv.Name == want {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if ok && id.Obj == recv.Obj {
				edits = append(edits, edit{fset.Position(id.Pos()).Offset, id.Name, want})
			}
			if ok && id.Name == want && id.Obj != nil && id.Obj.Kind == ast.Var {
				err = fmt.Errorf("%s.%s has a variable %s, as the receivers of other methods are called", types.ExprString(star.X), fn.Name.Name, want)
			}
			return true
		})
	}
	if len(edits) == 0 || err != nil {
		return src, err
	}
	out := slices.Clone(src)
	for _, x := range slices.Backward(edits) {
		out = slices.Concat(out[:x.at], []byte(x.to), out[x.at+len(x.from):])
	}
	return format.Source(out)
}
