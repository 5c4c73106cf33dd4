package generate

import (
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// tapPage names a type, a member, a getter, a method and a parameter.
const tapPage = `page: tap
title: a tap
release: "1.0"
flags:
  TapBits: {enum: tap_bits, prefix: TAP_, names: {TAP_HOT: Hot}, doc: a}
objects:
  Tap: {c: tap, parents: [], destroy: tap_close, getters: {size: {go: Size}}, doc: a}
verbs:
  tap_turn:
    returns: errno
    doc: turns a tap
    params:
      how: {role: flags, type: TapBits, go: how}
    methods:
      Tap.Turn: {}
`

// TestCompiles gives Go that does not compile, and has the place in the page that it comes from.
func TestCompiles(t *testing.T) {
	sp, err := spec.Load(fstest.MapFS{"tap.yaml": {Data: []byte(tapPage)}})
	if err != nil {
		t.Fatal(err)
	}
	pkg := &model.Package{Name: "p", Enums: []*model.Enum{{Go: "TapBits", Pos: api.Pos{File: "tap.yaml", Line: 5, Col: 3},
		Members: []*model.Member{{Go: "TapBitsCold"}}}}}
	const head = "package p\n\nimport \"example.com/x\"\n\ntype Tap struct{ t x.T }\n\ntype TapBits uint32\n\nconst Hot, TapBitsCold " +
		"TapBits = 1, 2\n\n"
	for _, c := range []struct {
		body, want string
		code       diag.Code
	}{
		{"func (t *Tap) Turn(how TapBits) error { return x.Turn(t.t, how) }", "", ""},
		{"func (t *Tap) Turn(how TapBits) error { return how.Pointer() }",
			"tap.yaml:15:7: Tap.Turn: the generated code does not compile: how.Pointer undefined (type TapBits has no field or method " +
				"Pointer) (a.gen.go); check the roles and parameter names on this page", diag.PageGo},
		{"func (t *Tap) Turn(how, how TapBits) error { return nil }",
			"tap.yaml:13:45: how: the generated package has this name already (a.gen.go); give it another name", diag.GoNameTwice},
		{"func (t *Tap) Size() {}\nfunc (t *Tap) Size() { undefined() }",
			"tap.yaml:7:71: Tap.Size: the generated package has this name already (a.gen.go); give it another name", diag.GoNameTwice},
		{"func Hot() {}", "tap.yaml:5:60: Hot: the generated package has this name already (a.gen.go); give it another name", diag.GoNameTwice},
		{"func TapBitsCold() {}",
			"tap.yaml:5:3: TapBitsCold: the generated package has this name already (a.gen.go); give it another name", diag.GoNameTwice},
		{"type Tap int", "tap.yaml:7:3: Tap: the generated package has this name already (a.gen.go); give it another name", diag.GoNameTwice},
		{"func other() int { return nowhere }",
			"verbsgen: internal error: generated Go does not compile: a.gen.go:11:27: undefined: nowhere; report it with the command line " +
				"and the input", diag.Internal},
		{"func (",
			"verbsgen: internal error: generated Go does not parse: a.gen.go:11:8: expected ')', found 'EOF'; report it with the command " +
				"line and the input", diag.Internal},
	} {
		files := []output.File{{Name: "a.gen.go", Data: []byte(head + c.body + "\n")}, {Name: cgoFile, Data: []byte("not looked at")},
			{Name: "a.gen.c", Data: []byte("nor this")}}
		_, err = compiles(files, pkg, sp)
		found := diag.From(err)
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: %v", c.body, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Error() != c.want || found[0].Code != c.code {
			t.Errorf("%s: got\n%v\nwant\n%s", c.body, found, c.want)
		}
	}
}
