package cgen

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestShimOfNoPage pins the C of what no verb of the project's pages needs: a function that a library may lack, and whose result is a
// number or a negated errno. verbsgen check compares the others.
func TestShimOfNoPage(t *testing.T) {
	verb := &model.Verb{C: "tap_go", CRet: "int", Returns: spec.RetNegated, MayFail: true, Way: model.WayExported,
		Symbol: &model.Symbol{Name: "tap_turn", Floor: true}, Params: []*model.Param{{C: "n", CType: "int", Role: role.In}}}
	g := &side{pkg: &model.Package{Name: "p", Facts: &api.Release{}}, Types: NewTypes(&api.Release{})}
	s, err := g.shim(verb)
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := g.fillShims([]shim{s}, "vg0")
	const want = "\n{\n\tint n = (int)n_;\n\n\tif (!fn0_)\n\t\treturn -ENOSYS;\n\treturn ((vg_fn_tap_turn)fn0_)(n);\n}\n"
	if err != nil || !strings.HasSuffix(text, want) {
		t.Errorf("error %v, got\n%s\nwant at its end\n%s", err, text, want)
	}
	if body, err := fill("tap_go", nil); err == nil {
		t.Errorf("a verb without text of its own: %s", body)
	}
}
