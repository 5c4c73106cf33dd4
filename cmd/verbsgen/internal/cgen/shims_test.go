package cgen

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestShimBodies pins the C that reaches a verb, for each way and each convention of results.
func TestShimBodies(t *testing.T) {
	tap := []*model.Param{{C: "tap", CType: "struct tap *", Role: role.Handle}, {C: "n", CType: "int", Role: role.In}}
	call := &api.Dispatch{Object: "tap->context", Op: "turn", Args: []string{"tap", "n"}}
	own := &api.Dispatch{Object: "tap", Op: "turn", Args: []string{"tap"}, Missing: "ENOSYS"}
	turn, old := &model.Symbol{Name: "tap_turn"}, &model.Symbol{Name: "tap_turn", Floor: true}
	for _, c := range []struct {
		verb model.Verb
		want string
	}{
		{model.Verb{CRet: "int", Returns: spec.RetErrno, Way: model.WayExported, Symbol: turn}, "return ((vg_fn_tap_turn)fn0_)(tap, n);"},
		{model.Verb{CRet: "void", Returns: spec.RetVoid, Way: model.WayExport, Symbol: turn, Dispatch: own}, "((vg_fn_tap_turn)fn0_)(tap);"},
		{model.Verb{CRet: "const char *", Returns: spec.RetValue, Way: model.WayExported, Symbol: turn},
			"return (void *)((vg_fn_tap_turn)fn0_)(tap, n);"},
		{model.Verb{CRet: "int", Returns: spec.RetEither, Way: model.WayExported, Symbol: old},
			"if (!fn0_)\n\t\treturn ENOSYS;\n\treturn ((vg_fn_tap_turn)fn0_)(tap, n);"},
		{model.Verb{CRet: "int", Returns: spec.RetNumber, Way: model.WayExported, Symbol: old},
			"if (!fn0_)\n\t\treturn errno = ENOSYS, -1;\n\treturn ((vg_fn_tap_turn)fn0_)(tap, n);"},
		{model.Verb{CRet: "int", Returns: spec.RetNegated, Way: model.WayExported, Symbol: old},
			"if (!fn0_)\n\t\treturn -ENOSYS;\n\treturn ((vg_fn_tap_turn)fn0_)(tap, n);"},
		{model.Verb{CRet: "int", Returns: spec.RetErrno, Way: model.WayVerbs, Dispatch: call},
			"struct verbs_context *v = vg_verbs(tap->context);\n\n\tif (!VG_HAS(v, turn))\n\t\treturn EOPNOTSUPP;\n\treturn v->turn(tap, n);"},
		{model.Verb{CRet: "int", Returns: spec.RetMinus1, Way: model.WayOps, Dispatch: call},
			"if (!tap->context->ops.turn)\n\t\treturn errno = EOPNOTSUPP, -1;\n\treturn tap->context->ops.turn(tap, n);"},
		{model.Verb{CRet: "struct tap *", Returns: spec.RetNullErrno, Way: model.WayObject, Dispatch: own},
			"if (!tap->turn)\n\t\treturn errno = ENOSYS, NULL;\n\treturn tap->turn(tap);"},
		{model.Verb{CRet: "void", Returns: spec.RetVoid, Way: model.WayObject, Dispatch: own}, "if (!tap->turn)\n\t\treturn;\n\ttap->turn(tap);"},
	} {
		c.verb.C, c.verb.Params = "tap_go", tap
		c.verb.MayFail = c.verb.Returns != spec.RetVoid && c.verb.Returns != spec.RetValue
		facts := &api.Release{Records: []api.Record{{Tag: "struct tap"}}}
		g := &side{pkg: &model.Package{Name: "p", Facts: facts}, types: map[string]Type{}}
		s, err := g.shim(&c.verb)
		if err != nil {
			t.Fatal(err)
		}
		_, text, err := g.fillShims([]shim{s}, "vg0")
		want := "\n{\n\tstruct tap *tap = (struct tap *)tap_;\n\tint n = (int)n_;\n\n\t" + c.want + "\n}\n"
		if err != nil || !strings.Contains(text, "vg0_tap_go(") || !strings.HasSuffix(text, want) {
			t.Errorf("%s, %s: error %v, got\n%s\nwant at its end\n%s", c.verb.Way, c.verb.Returns, err, text, want)
		}
		if through := c.verb.Way == model.WayVerbs; strings.Contains(text, "vg_verbs(struct ibv_context *ctx)") != through {
			t.Errorf("%s: the way to the extended context is there: %t", c.verb.Way, !through)
		}
	}
	if body, err := fill("tap_go", nil); err == nil {
		t.Errorf("a verb without text of its own: %s", body)
	}
}
