package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// brokenOthers are changes of plans that take and make the handles of another package: the property that they break, and what it says.
var brokenOthers = []struct {
	method string
	change func(steps []Step) []Step
	of     string
	want   string
}{
	{"ID.CreateQP", without[EnterOther](0), "entered", "pd is used and not entered before"},
	{"ID.CreateQP", later[EnterOther, Call], "entered", "pd is used and not entered before"},
	{"ID.CreateQP", edited(func(s UseOthers) UseOthers { s.Lib = ""; return s }), "one device", "pd may be of another device than id"},
	{"ID.CreateQP", without[LendOther](0), "defined", "qpInitAttrHeld is used and defined nowhere before"},
	{"ID.CreateQP", without[MakeOther](0), "adopted", "the object is not made once by its package"},
	{"ID.CreateQP", twice[MakeOther], "adopted", "the object is not made once by its package"},
	{"ID.CreateQP", later[Call, MakeOther], "adopted", "the object is not made once by its package"},
	{"ID.CreateQP", edited(func(s MakeOther) MakeOther { s.Parents = nil; return s }), "adopted",
		"the object is not made once by its package"},
	{"ID.CreateQP", without[Missing](1), "refused", "a function that the library lacks is not refused"},
	{"ID.Migrate", without[Try](0), "called", "the verb is named and not called"},
	{"ID.Migrate", editedEnter("channel", func(e *Enter) { e.Beside = "" }), "one device", "channel may be of another device than id"},
	{"ID.InitQPAttr", without[FillOther](0), "defined", "qpAttrHeld is used and defined nowhere before"},
	{"ID.InitQPAttr", withoutAssign("", 0), "returned", "qp_attr is filled and not taken"},
	{"ID.RemoteECE", withoutAssign("", 0), "returned", "ece is filled and not returned"},
	{"ID.RemoteECE", without[FillOther](0), "defined", "eceHeld is used and defined nowhere before"},
	{"EventChannel.CreateID", without[Declare](0), "defined", "idC is used and defined nowhere before"},
}

// TestBrokenOthers breaks plans of a module that stands on another one.
func TestBrokenOthers(t *testing.T) {
	pkg, err := modelOf("rdmacm")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Of(pkg)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(pkg, p)
	for _, c := range brokenOthers {
		m := *find(t, p, c.method)
		m.Steps = c.change(m.Steps)
		if got := strings.Join(w.problems(&m)[c.of], "; "); !strings.Contains(got, c.want) {
			t.Errorf("%s: property %s says %q; want %q of\n%s", c.method, c.of, got, c.want, &m)
		}
	}
}

// TestSerial: the calls of a library run one after another, except those that end an object and may wait for long.
func TestSerial(t *testing.T) {
	pkg, err := modelOf("rdmacm")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Of(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Shims {
		want, listed := map[string]bool{"rdma_destroy_id": false, "rdma_destroy_event_channel": false, "rdma_connect": true}[s.Verb.C]
		if listed && s.Serial != want {
			t.Errorf("%s is serial: %t", s.Verb.C, s.Serial)
		}
	}
}

// beyond are the properties that world cannot judge of a method, as it knows neither parents of another module that parameters are, nor
// objects of another one without a parent, nor bools; nor bytes that C fills, which are of the caller and stay in
// place for the call.
// conformance/card runs the methods that the card has.
var beyond = map[string][]string{
	"hnsdv.IsSupported": {"returned"},
	"mlx5dv.OpenDevice": {"adopted"}, "mlx5dv.IsSupported": {"returned"}, "mlx5dv.DevXAllocUAR": {"adopted"},
	"mlx5dv.CreateMKey": {"adopted"}, "mlx5dv.AllocVAR": {"adopted"}, "mlx5dv.DevXGeneralCmd": {"held"},
	"mlx5dv.DevXQueryCQ": {"held"}, "mlx5dv.DevXModifyCQ": {"held"}, "mlx5dv.DevXQueryQP": {"held"}, "mlx5dv.DevXModifyQP": {"held"},
	"mlx5dv.DevXQuerySRQ": {"held"}, "mlx5dv.DevXModifySRQ": {"held"}, "mlx5dv.DevXQueryWQ": {"held"}, "mlx5dv.DevXModifyWQ": {"held"},
	"mlx5dv.DevXQueryIndTable": {"held"}, "mlx5dv.DevXModifyIndTable": {"held"},
	"mlx5dv.CreateCryptoLogin": {"adopted"}, "mlx5dv.CreateDEK": {"adopted"}, "mlx5dv.CreateSteeringAnchor": {"adopted"},
	"mlx5dv.devXUmemReg": {"adopted"}, "mlx5dv.RegUMemEx": {"adopted"}, "mlx5dv.CreateCmdComp": {"adopted"},
	"mlx5dv.CreateEventChannel": {"adopted"}, "mlx5dv.AllocPP": {"adopted"}, "mlx5dv.CreateSchedNode": {"adopted"},
	"mlx5dv.CreateSchedLeaf": {"adopted"}, "mlx5dv.DataDirectPath": {"held"}, "mlx5dv.DevXCreate": {"held", "adopted"},
	"mlx5dv.Query": {"held"}, "mlx5dv.Modify": {"held"}, "mlx5dv.CreateDRDomain": {"adopted"}, "mlx5dv.CreateDRActionQP": {"adopted"},
	"mlx5dv.CreateDRActionDrop": {"adopted"}, "mlx5dv.CreateDRActionDefaultMiss": {"adopted"}, "mlx5dv.CreateDRActionTag": {"adopted"},
	"mlx5dv.CreateDRActionFlowMeter": {"adopted"}, "mlx5dv.CreateDRActionPopVLAN": {"adopted"},
}

// TestModuleProperties holds every method of the other modules to them.
func TestModuleProperties(t *testing.T) {
	calls := 0
	for _, name := range spec.Modules() {
		if name == spec.DefaultModule {
			continue
		}
		pkg, err := modelOf(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Of(pkg)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(pkg, p)
		for _, m := range faces(p) {
			if reach(flat(m.Steps)) >= 0 {
				calls++
			}
			for property, wrong := range w.problems(m) {
				if slices.Contains(beyond[name+"."+m.Name], property) {
					continue
				}
				t.Errorf("%s: %s: %s: %s\n%s", name, m.Name, property, strings.Join(wrong, "; "), m)
			}
		}
	}
	if calls < 35 {
		t.Errorf("only %d methods that call", calls)
	}
}
