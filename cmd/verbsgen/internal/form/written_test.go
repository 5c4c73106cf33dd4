package form

import (
	"slices"
	"strings"
	"testing"
)

// TestParse reads a file with each directive.
func TestParse(t *testing.T) {
	f, err := parse("templates/verbs/x.go", `//go:build ignore

//verbsgen:face int x_do(struct x *, unsigned int, void *)
//verbsgen:runtime
//verbsgen:reads struct y, struct z
//verbsgen:requests struct wr, struct sge, WRRange
//verbsgen:kept by the handles
//verbsgen:lints not looked at
//verbsgen:value X_BIT 0x10
//verbsgen:calls struct x **x_list(void)
//verbsgen:with X x_other
//verbsgen:without x_new
//verbsgen:optional int x_more(void)
//verbsgen:of Y
//verbsgen:needs Z
//verbsgen:waits X *wait.X
//verbsgen:gate X gate.X
//verbsgen:finds X Z
//verbsgen:names Y
//verbsgen:field X more *int // of it

package verbs

//verbsgen:face of the body, and no directive

func (x *X) Do() { judgeX() }
func (x X) Other() {}
func alone()       {}
`)
	if err != nil {
		t.Fatal(err)
	}
	do := f.Faces[0]
	if len(f.Faces) != 1 || do.C != "x_do" || do.Sig.Ret != "int" ||
		!slices.Equal(do.Sig.Params, []Param{{C: "struct x *"}, {C: "unsigned int"}, {C: "void *"}}) || do.At != "templates/verbs/x.go:3" {
		t.Errorf("the faces are %+v", do)
	}
	if !do.Runtime || do.Requests != "struct wr" || do.Elements != "struct sge" || do.Range != "WRRange" ||
		do.Unchecked != "by the handles" || !do.RuleFirst || do.Values["X_BIT"] != 16 || do.UncheckedLints != "not looked at" ||
		!slices.Equal(do.Reads, []string{"struct y", "struct z"}) {
		t.Errorf("the face has %+v", do)
	}
	if c := f.Calls[0]; len(f.Calls) != 2 || !f.Calls[1].Optional || c.Optional || c.C != "x_list" || c.Sig.Ret != "struct x **" ||
		c.Sig.Params != nil {
		t.Errorf("the calls are %+v", f.Calls)
	}
	if !slices.Equal(f.Methods, []string{"X.Do", "X.Other"}) || !f.Uses("judgeX") || f.Uses("judgeY") ||
		!strings.HasPrefix(f.Body, "\n\n//verbsgen:face of the body") {
		t.Errorf("methods %v, body %q", f.Methods, f.Body)
	}
	if !slices.Equal(f.Of, []string{"Y"}) || f.Waits["X"] != "*wait.X" || f.Gates["X"] != "gate.X" ||
		!slices.Equal(f.Finds, []string{"X", "Z"}) || !slices.Equal(f.Names, []string{"Y"}) ||
		!slices.Equal(f.Fields, []Field{{"X", "more", "*int", "of it"}}) {
		t.Errorf("of handles it needs %+v", f)
	}
	for _, c := range []struct {
		has  []string
		want bool
	}{
		{[]string{"x_do", "x_list", "X", "Z", "x_other"}, true},
		{[]string{"x_do", "x_list", "X", "Z", "x_other", "x_new"}, false},
		{[]string{"x_do", "x_list", "X", "Z"}, false},
		{[]string{"x_do", "X", "Z", "x_other"}, false},
		{[]string{"x_do", "x_list", "X", "x_other"}, false},
		{[]string{"x_list", "X", "Z", "x_other"}, false},
	} {
		has := func(name string) bool { return slices.Contains(c.has, name) }
		if got := f.in(has, has); got != c.want {
			t.Errorf("in a package with %v: %t", c.has, got)
		}
	}
}

// TestBadDirectives reads files whose directives are wrong: the error has the line.
func TestBadDirectives(t *testing.T) {
	for text, want := range map[string]string{
		"//verbsgen:face x_do":                                      `x.go:1: "x_do" is no declaration of a C function`,
		"//verbsgen:calls (int)":                                    `x.go:1: "(int)" is no declaration of a C function`,
		"//verbsgen:face int x(void)\n//verbsgen:value X Y":         "x.go:2: write value NAME NUMBER",
		"//verbsgen:waits X":                                        "x.go:1: waits needs a handle and a type",
		"//verbsgen:face int x(void)\n//verbsgen:requests struct x": "x.go:2: write requests REQUEST, ELEMENT, RANGE",
		"//verbsgen:runtime":                                        "x.go:1: runtime must follow a face",
		"//verbsgen:face int x(void)\n//verbsgen:fast":              "x.go:2: there is no directive verbsgen:fast",
		"//verbsgen:face int x(void)\n//verbsgen:value":             "x.go:2: write value NAME NUMBER",
		"//verbsgen:face int x(void)\n//verbsgen:value A b":         "x.go:2: write value NAME NUMBER",
	} {
		if _, err := parse("x.go", text+"\n\npackage verbs\n"); err == nil || err.Error() != want {
			t.Errorf("%s: error %v; want %s", text, err, want)
		}
	}
}

// TestFiles reads the files that there are: each has a verb, and each verb is in one file.
func TestFiles(t *testing.T) {
	files, err := Files()
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seen := map[string]string{}
	for _, f := range files {
		if len(f.Faces)+len(f.Calls)+len(f.With)+len(f.Without) == 0 {
			t.Errorf("%s says nothing of what it was written for", f.Name)
		}
		for _, x := range f.Faces {
			if other := seen[x.C]; other != "" {
				t.Errorf("%s and %s have the methods of %s", other, f.Name, x.C)
			}
			seen[x.C] = f.Name
		}
	}
}
