package gen

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// TestNames asks that the methods of a type have one name of the receiver, and that no name ends with an underscore. staticcheck does
// not look at generated files for this.
func TestNames(t *testing.T) {
	for _, dir := range packages {
		p := typed(t, dir)
		receivers := map[string]string{}
		for _, f := range p.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
					continue
				}
				of, name := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*"), fn.Recv.List[0].Names[0].Name
				if was := receivers[of]; was != "" && was != name {
					t.Errorf("%s: receivers of %s are called %s and %s", dir, of, was, name)
				}
				receivers[of] = name
			}
		}
		if len(receivers) < 5 {
			t.Errorf("%s: only %d types", dir, len(receivers))
		}
		for id := range p.info.Defs {
			if len(id.Name) > 1 && strings.HasSuffix(id.Name, "_") {
				t.Errorf("%s: a name %s", dir, id.Name)
			}
		}
	}
}
